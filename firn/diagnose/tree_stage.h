// Trees of gates, alone or four at a time under an OR-pool: convolutions by trees, and dense layers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "firn/diagnose/mixtures.h"
#include "firn/diagnose/pool.h"
#include "firn/diagnose/seed.h"
#include "firn/kernels/tree.h"

namespace firn {

// A unit is a set of gates: a kernel that writes one output per place of the image, or a tree that writes one output.
class TreeStage {
 public:
  std::size_t depth = 1, positions = 1;    // positions under the pool: 1 or 4
  std::size_t inputs = 0;                  // features
  std::size_t unit_outputs = 1;            // outputs [unit * unit_outputs, (unit + 1) * unit_outputs) share its gates
  std::vector<std::uint32_t> wires;        // [outputs][positions][2^depth] features, or kNoFeature
  std::vector<std::uint32_t> gate_neuron;  // [units][2^depth - 1] gates from the leaves to the root
  std::vector<Terms> terms;                // the same gates: what Mixtures says, in the order in which it is read

  std::size_t leaves() const { return std::size_t{1} << depth; }
  std::size_t gates() const { return leaves() - 1; }
  std::size_t operands() const { return positions * leaves(); }
  std::size_t outputs() const { return wires.size() / operands(); }

  void forward(const Mixtures&, std::size_t output, const Lanes* in, Lanes& out) const {
    std::array<Nodes, kMaxPool> nodes;
    pool_values(roots(output, in, nodes), positions, out);
  }

  // SampleSet for which more than one position attains the maximum.
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
  static constexpr std::size_t kMaxLeaves = std::size_t{1} << kMaxTreeDepth;
  struct Nodes {
    std::array<const Lanes*, 2 * kMaxLeaves> value;  // leaves, then gates; the last one is the root
    std::array<Lanes, kMaxLeaves> own;               // values of the gates
  };

  // Place of the first gate of an output's tree in gate_neuron and terms.
  std::size_t first_gate(std::size_t output) const { return output / unit_outputs * gates(); }
  void evaluate(std::size_t output, std::size_t position, const Lanes* in, Nodes& nodes) const {
    const std::uint32_t* wire = &wires[output * operands() + position * leaves()];
    const Terms* c = &terms[first_gate(output)];
    for (std::size_t l = 0; l < leaves(); ++l) nodes.value[l] = wire[l] == kNoFeature ? &kZeroLanes : in + wire[l];
    for (std::size_t g = 0; g < gates(); ++g) {
      gate_values(c[g], *nodes.value[2 * g], *nodes.value[2 * g + 1], nodes.own[g]);
      nodes.value[leaves() + g] = &nodes.own[g];
    }
  }
  Pooled roots(std::size_t output, const Lanes* in, std::array<Nodes, kMaxPool>& nodes) const {
    Pooled roots{};
    for (std::size_t p = 0; p < positions; ++p) {
      evaluate(output, p, in, nodes[p]);
      roots[p] = nodes[p].value[2 * gates()];
    }
    return roots;
  }
  void backward_at(std::size_t output, std::size_t position, const Nodes& nodes, const Lanes& up, Lanes* grad_in,
                   Weights16* sums) const;
};

// What moves inside one tree: leaves from outside, gates from below or from the seed.
template <class Rule>
void TreeStage::change(const Mixtures&, std::size_t output, const Lanes* in, const ChangeSet& changed,
                       std::size_t together, Seed* seed, Lanes* out) const {
  std::array<Nodes, kMaxPool> nodes;
  const Pooled values = roots(output, in, nodes);
  Lanes own[kMaxPool][kMaxLeaves][kChangeRows];  // changes of the gates
  Pooled moved{};
  const std::uint32_t* neuron = &gate_neuron[first_gate(output)];
  const Terms* c = &terms[first_gate(output)];
  for (std::size_t p = 0; p < positions; ++p) {
    std::array<const Lanes*, 2 * kMaxLeaves> change{};
    const std::uint32_t* wire = &wires[output * operands() + p * leaves()];
    if (seed == nullptr)
      for (std::size_t l = 0; l < leaves(); ++l) change[l] = changed.find(wire[l]);
    for (std::size_t g = 0; g < gates(); ++g) {
      const Lanes &a = *nodes[p].value[2 * g], &b = *nodes[p].value[2 * g + 1];
      Lanes* row = own[p][g];
      if (seed != nullptr && seed->neuron == neuron[g]) {
        for (std::size_t j = 0; j < together; ++j) {
          gate_values(seed->towards[j], a, b, row[j * Rule::kParts]);
          for (std::size_t part = 1; part < Rule::kParts; ++part) row[j * Rule::kParts + part] = kZeroLanes;
          seed->add_square(j, row[j * Rule::kParts]);
        }
      } else if (change[2 * g] != nullptr || change[2 * g + 1] != nullptr) {
        gate_change<Rule>(c[g], a, b, change[2 * g], change[2 * g + 1], together, row);
      } else {
        continue;
      }
      change[leaves() + g] = row;
    }
    moved[p] = change[2 * gates()];
  }
  pool_change(Rule{}, values, moved, positions, together, out);
}

}  // namespace firn
