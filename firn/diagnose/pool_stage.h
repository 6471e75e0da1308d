// OR-pooling on its own: four features, no gates.
#pragma once

#include <cstdint>
#include <vector>

#include "firn/diagnose/mixtures.h"
#include "firn/diagnose/pool.h"
#include "firn/diagnose/seed.h"

namespace firn {

class PoolStage {
 public:
  std::size_t inputs = 0;
  std::size_t unit_outputs = 1;
  std::vector<std::uint32_t> wires;  // [outputs][4] features

  static constexpr std::size_t operands() { return kMaxPool; }
  std::size_t outputs() const { return wires.size() / operands(); }

  void forward(const Mixtures&, std::size_t output, const Lanes* in, Lanes& out) const {
    pool_values(values(output, in), kMaxPool, out);
  }

  std::size_t ties(const Mixtures&, std::size_t output, const Lanes* in, std::size_t samples) const {
    const Winners winners(values(output, in), kMaxPool);
    std::size_t count = 0;
    for (std::size_t l = 0; l < samples; ++l) count += winners.is_tied[l];
    return count;
  }

  void backward(const Mixtures&, std::size_t output, const Lanes* in, const Lanes& up, Lanes* grad_in,
                Weights16*) const {
    const Winners winners(values(output, in), kMaxPool);
    for (std::size_t l = 0; l < kLanes; ++l) grad_in[wires[output * kMaxPool + winners.position[l]]].v[l] += up.v[l];
  }

  template <class Rule>
  void change(const Mixtures&, std::size_t output, const Lanes* in, const ChangeSet& changed, std::size_t together,
              Seed*, Lanes* out) const {
    Pooled changes{};
    for (std::size_t p = 0; p < kMaxPool; ++p) changes[p] = changed.find(wires[output * kMaxPool + p]);
    pool_change(Rule{}, values(output, in), changes, kMaxPool, together, out);
  }

 private:
  Pooled values(std::size_t output, const Lanes* in) const {
    Pooled values{};
    for (std::size_t p = 0; p < kMaxPool; ++p) values[p] = in + wires[output * kMaxPool + p];
    return values;
  }
};

}  // namespace firn
