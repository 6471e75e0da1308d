#include "firn/diagnose/slot_stage.h"

namespace firn::diagnose {

void SlotStage::forward(const Mixtures& mixtures, std::size_t output, const Lanes* in, Lanes& out) const {
  const std::uint32_t* wire = &wires[output * wires_per_output()];
  out = kZeroLanes;
  for (std::size_t k = 0; k < kSlots; ++k) {
    Lanes term;
    gate_values(weighted(mixtures, neuron(output), k), value(in, wire[2 * k]), value(in, wire[2 * k + 1]), term);
    for (std::size_t l = 0; l < kLanes; ++l) out.v[l] += term.v[l];
  }
}

void SlotStage::backward(const Mixtures& mixtures, std::size_t output, const Lanes* in, const Lanes& up, Lanes* grad_in,
                         Weights16* sums) const {
  const std::uint32_t* wire = &wires[output * wires_per_output()];
  const std::size_t n = neuron(output);
  for (std::size_t k = 0; k < kSlots; ++k) {
    const Terms terms = gate_terms(mixtures.gate(n, k));
    const Lanes &a = value(in, wire[2 * k]), &b = value(in, wire[2 * k + 1]);
    Lanes gate;
    gate_values(terms, a, b, gate);
    for (std::size_t l = 0; l < kLanes; ++l) sums[n][k] += up.v[l] * gate.v[l];
    const Terms c = weighted(mixtures, n, k);
    if (wire[2 * k] != kOutside)
      for (std::size_t l = 0; l < kLanes; ++l) grad_in[wire[2 * k]].v[l] += up.v[l] * (c[1] + c[3] * b.v[l]);
    if (wire[2 * k + 1] != kOutside)
      for (std::size_t l = 0; l < kLanes; ++l) grad_in[wire[2 * k + 1]].v[l] += up.v[l] * (c[2] + c[3] * a.v[l]);
  }
}

// Value of the slot minus the mixture, as a sum of differences: exact when the slot has almost all the weight.
void SlotStage::displace(const Mixtures& mixtures, std::size_t output, const Lanes* in, std::size_t slot,
                         Lanes& out) const {
  const std::uint32_t* wire = &wires[output * wires_per_output()];
  const std::size_t n = neuron(output);
  const auto slot_values = [&](std::size_t k, Lanes& values) {
    gate_values(gate_terms(mixtures.gate(n, k)), value(in, wire[2 * k]), value(in, wire[2 * k + 1]), values);
  };
  Lanes target, other;
  slot_values(slot, target);
  out = kZeroLanes;
  for (std::size_t h = 0; h < kSlots; ++h) {
    if (h == slot) continue;
    slot_values(h, other);
    const double weight = mixtures.weights(n)[h];
    for (std::size_t l = 0; l < kLanes; ++l) out.v[l] += weight * (target.v[l] - other.v[l]);
  }
}

}  // namespace firn::diagnose
