#include "firn/diagnose/unit_stage.h"

#include <algorithm>

namespace firn::diagnose {

void UnitStage::backward(const Mixtures&, std::size_t output, const Lanes* in, const Lanes& up, Lanes* grad_in,
                         Weights16* sums) const {
  std::array<Nodes, kMaxPool> nodes;
  const Winners winners(roots(output, in, nodes), positions);
  for (std::size_t p = 0; p < positions; ++p) {
    Lanes share;
    bool wins = false;
    for (std::size_t l = 0; l < kLanes; ++l) {
      share.v[l] = winners.position[l] == p ? up.v[l] : 0;
      wins |= share.v[l] != 0;
    }
    if (wins) backward_at(output, p, nodes[p], share, grad_in, sums);
  }
}

void UnitStage::backward_at(std::size_t output, std::size_t position, const Nodes& nodes, const Lanes& up,
                            Lanes* grad_in, Weights16* sums) const {
  std::array<Lanes, kMaxNodes> grad;  // of every node
  std::fill_n(grad.begin(), taps + gates, kZeroLanes);
  grad[taps + gates - 1] = up;
  const std::size_t first = first_gate(output);
  for (std::size_t g = gates; g-- > 0;) {
    const std::size_t left = operands[2 * g], right = operands[2 * g + 1];
    const Terms& c = terms[first + g];
    Weights16& sum = sums[first_neuron + first + g];
    const Lanes &a = *nodes.value[left], &b = *nodes.value[right], d = grad[taps + g];
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double da = d.v[l] * a.v[l];
      sum[0] += d.v[l];
      sum[1] += da;
      sum[2] += d.v[l] * b.v[l];
      sum[3] += da * b.v[l];
    }
    for (std::size_t l = 0; l < kLanes; ++l) grad[left].v[l] += d.v[l] * (c[1] + c[3] * b.v[l]);
    for (std::size_t l = 0; l < kLanes; ++l) grad[right].v[l] += d.v[l] * (c[2] + c[3] * a.v[l]);
  }
  const std::uint32_t* wire = &wires[output * wires_per_output() + position * taps];
  for (std::size_t t = 0; t < taps; ++t)
    if (wire[t] != kOutside)
      for (std::size_t l = 0; l < kLanes; ++l) grad_in[wire[t]].v[l] += grad[t].v[l];
}

}  // namespace firn::diagnose
