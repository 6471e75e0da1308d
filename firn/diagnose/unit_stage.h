// Units of gates on shared pairs, alone or several placements under an OR-pool: trees, dense layers, pools.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "firn/diagnose/mixtures.h"
#include "firn/diagnose/pool.h"
#include "firn/diagnose/seed.h"
#include "firn/network/layer.h"

namespace firn::diagnose {

class UnitStage {
 public:
  std::size_t taps = 2, gates = 1;     // of a unit
  std::vector<std::uint8_t> operands;  // [gates][2] nodes: taps, then gates
  std::size_t positions = 1;           // placements under the pool
  std::size_t inputs = 0;              // features
  std::size_t unit_outputs = 1;        // outputs [unit * unit_outputs, (unit + 1) * unit_outputs) share its gates
  std::size_t first_neuron = 0;        // gate g of unit u is neuron first_neuron + u * gates + g
  std::vector<std::uint32_t> wires;    // [outputs][positions][taps] features, or kOutside
  std::vector<Terms> terms;            // [units][gates] what Mixtures says

  std::size_t wires_per_output() const { return positions * taps; }
  std::size_t outputs() const { return wires.size() / wires_per_output(); }

  void forward(const Mixtures&, std::size_t output, const Lanes* in, Lanes& out) const {
    std::array<Nodes, kMaxPool> nodes;
    pool_values(roots(output, in, nodes), positions, out);
  }

  // Samples for which more than one position attains the maximum.
  std::size_t ties(const Mixtures&, std::size_t output, const Lanes* in, std::size_t samples) const {
    std::array<Nodes, kMaxPool> nodes;
    const Winners winners(roots(output, in, nodes), positions);
    std::size_t count = 0;
    for (std::size_t l = 0; l < samples; ++l) count += winners.is_tied[l];
    return count;
  }

  // Adds the gradient in the inputs to grad_in, and to sums[neuron][0..3] the gradient times 1, a, b, ab.
  void backward(const Mixtures&, std::size_t output, const Lanes* in, const Lanes& up, Lanes* grad_in,
                Weights16* sums) const;

  // The change of an output; with a seed, that of an output of the replaced neuron, whose inputs stay as they are.
  template <class Rule>
  void change(const Mixtures&, std::size_t output, const Lanes* in, const ChangeSet& changed, std::size_t together,
              Seed* seed, Lanes* out) const;

 private:
  static constexpr std::size_t kMaxNodes = kMaxUnitTaps + kMaxUnitGates;
  struct Nodes {
    std::array<const Lanes*, kMaxNodes> value;  // taps, then gates; the last one is the unit's output
    std::array<Lanes, kMaxUnitGates> own;       // values of the gates
  };

  // Place of the first gate of an output's unit in terms.
  std::size_t first_gate(std::size_t output) const { return output / unit_outputs * gates; }
  void evaluate(std::size_t output, std::size_t position, const Lanes* in, Nodes& nodes) const {
    const std::uint32_t* wire = &wires[output * wires_per_output() + position * taps];
    const Terms* c = terms.data() + first_gate(output);
    for (std::size_t t = 0; t < taps; ++t) nodes.value[t] = wire[t] == kOutside ? &kZeroLanes : in + wire[t];
    for (std::size_t g = 0; g < gates; ++g) {
      gate_values(c[g], *nodes.value[operands[2 * g]], *nodes.value[operands[2 * g + 1]], nodes.own[g]);
      nodes.value[taps + g] = &nodes.own[g];
    }
  }
  Pooled roots(std::size_t output, const Lanes* in, std::array<Nodes, kMaxPool>& nodes) const {
    Pooled roots{};
    for (std::size_t p = 0; p < positions; ++p) {
      evaluate(output, p, in, nodes[p]);
      roots[p] = nodes[p].value[taps + gates - 1];
    }
    return roots;
  }
  void backward_at(std::size_t output, std::size_t position, const Nodes& nodes, const Lanes& up, Lanes* grad_in,
                   Weights16* sums) const;
};

// What moves inside one unit: taps from outside, gates from below or from the seed.
template <class Rule>
void UnitStage::change(const Mixtures&, std::size_t output, const Lanes* in, const ChangeSet& changed,
                       std::size_t together, Seed* seed, Lanes* out) const {
  std::array<Nodes, kMaxPool> nodes;
  const Pooled values = roots(output, in, nodes);
  Lanes own[kMaxPool][kMaxUnitGates][kChangeRows];  // changes of the gates
  Pooled moved{};
  const std::size_t first = first_gate(output);
  const Terms* c = terms.data() + first;
  for (std::size_t p = 0; p < positions; ++p) {
    std::array<const Lanes*, kMaxNodes> change{};
    const std::uint32_t* wire = &wires[output * wires_per_output() + p * taps];
    if (seed == nullptr)
      for (std::size_t t = 0; t < taps; ++t) change[t] = changed.find(wire[t]);
    for (std::size_t g = 0; g < gates; ++g) {
      const std::size_t left = operands[2 * g], right = operands[2 * g + 1];
      const Lanes &a = *nodes[p].value[left], &b = *nodes[p].value[right];
      Lanes* row = own[p][g];
      if (seed != nullptr && seed->neuron == first_neuron + first + g) {
        for (std::size_t j = 0; j < together; ++j) {
          gate_values(seed->towards[j], a, b, row[j * Rule::kParts]);
          for (std::size_t part = 1; part < Rule::kParts; ++part) row[j * Rule::kParts + part] = kZeroLanes;
          seed->add_square(j, row[j * Rule::kParts]);
        }
      } else if (change[left] != nullptr || change[right] != nullptr) {
        gate_change<Rule>(c[g], a, b, change[left], change[right], together, row);
      } else {
        continue;
      }
      change[taps + g] = row;
    }
    moved[p] = change[taps + gates - 1];
  }
  if (seed != nullptr) {
    const Winners winners(values, positions);
    const std::size_t gate = seed->neuron - first_neuron - first;
    for (std::size_t j = 0; j < together; ++j)
      for (std::size_t l = 0; l < seed->samples; ++l)
        seed->add_winning_square(j, own[winners.position[l]][gate][j * Rule::kParts].v[l]);
  }
  pool_change(Rule{}, values, moved, positions, together, out);
}

}  // namespace firn::diagnose
