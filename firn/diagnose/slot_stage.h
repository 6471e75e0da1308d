// Neurons that choose among sixteen slots, each with its own gate and its own pair of features.
#pragma once

#include <cstdint>
#include <vector>

#include "firn/diagnose/mixtures.h"
#include "firn/diagnose/seed.h"

namespace firn::diagnose {

class SlotStage {
 public:
  std::size_t inputs = 0;            // features
  std::size_t unit_outputs = 1;      // outputs that share a neuron
  std::size_t first_neuron = 0;      // output o belongs to neuron first_neuron + o / unit_outputs
  std::vector<std::uint32_t> wires;  // [outputs][16][2] features, or kOutside

  static constexpr std::size_t wires_per_output() { return 2 * kSlots; }
  std::size_t outputs() const { return wires.size() / wires_per_output(); }

  void forward(const Mixtures& mixtures, std::size_t output, const Lanes* in, Lanes& out) const;

  // As UnitStage, but sums[neuron][k] is the gradient times the value of slot k.
  void backward(const Mixtures& mixtures, std::size_t output, const Lanes* in, const Lanes& up, Lanes* grad_in,
                Weights16* sums) const;

  template <class Rule>
  void change(const Mixtures& mixtures, std::size_t output, const Lanes* in, const ChangeSet& changed,
              std::size_t together, Seed* seed, Lanes* out) const;

 private:
  std::size_t neuron(std::size_t output) const { return first_neuron + output / unit_outputs; }
  static const Lanes& value(const Lanes* in, std::uint32_t wire) { return wire == kOutside ? kZeroLanes : in[wire]; }
  // Terms of a slot times its weight.
  static Terms weighted(const Mixtures& mixtures, std::size_t neuron, std::size_t slot) {
    Terms terms = gate_terms(mixtures.gate(neuron, slot));
    for (double& term : terms) term *= mixtures.weights(neuron)[slot];
    return terms;
  }
  void displace(const Mixtures& mixtures, std::size_t output, const Lanes* in, std::size_t slot, Lanes& out) const;
};

template <class Rule>
void SlotStage::change(const Mixtures& mixtures, std::size_t output, const Lanes* in, const ChangeSet& changed,
                       std::size_t together, Seed* seed, Lanes* out) const {
  const std::size_t rows = together * Rule::kParts;
  for (std::size_t r = 0; r < rows; ++r) out[r] = kZeroLanes;
  if (seed != nullptr) {
    for (std::size_t j = 0; j < together; ++j) {
      displace(mixtures, output, in, seed->slots[j], out[j * Rule::kParts]);
      seed->add_square(j, out[j * Rule::kParts]);
      for (std::size_t l = 0; l < seed->samples; ++l) seed->add_winning_square(j, out[j * Rule::kParts].v[l]);
    }
    return;
  }
  const std::uint32_t* wire = &wires[output * wires_per_output()];
  for (std::size_t k = 0; k < kSlots; ++k) {
    const Lanes *da = changed.find(wire[2 * k]), *db = changed.find(wire[2 * k + 1]);
    const bool moves = da != nullptr || db != nullptr;
    if (!moves || mixtures.weights(neuron(output))[k] == 0) continue;
    Lanes term[kChangeRows];
    gate_change<Rule>(weighted(mixtures, neuron(output), k), value(in, wire[2 * k]), value(in, wire[2 * k + 1]), da, db,
                      together, term);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t l = 0; l < kLanes; ++l) out[r].v[l] += term[r].v[l];
  }
}

}  // namespace firn::diagnose
