// Discrete completions of a partly fixed network, exactly: the distribution of the head's counts for one sample.
//
// For one sample a gate that acts once is a coin: its bit is 1 with the probability that its distribution gives to
// gates whose truth table says 1 for the operands it sees. Expectations over all 16^N networks are therefore sums
// over at most 2^N strings of bits. A gate that acts at several places is a table of four coins of which only those
// that are looked at are thrown, so shared filters are exact as well, at a higher price.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/theory/count_table.h"
#include "firn/theory/problem.h"

namespace firn::theory {

// Can the outcomes for all samples be waited for? Twenty gates that act once, and a hundred samples, can.
bool can_enumerate(const Problem& problem);

class Completions {
 public:
  Completions(const Problem& problem, const CountTable& counts, const Distribution& q);

  // Probability of each vector of counts for a sample, [number].
  std::vector<double> distribution(std::size_t sample);

  // The same with a neuron fixed to each of the sixteen gates, [gate][number]. One walk serves all of them.
  std::array<std::vector<double>, kSlots> conditional(std::size_t sample, std::size_t neuron);

 private:
  using GateSet = std::uint32_t;  // bit k: gate k is still possible
  static constexpr GateSet kAllGates = 0xffff;
  static constexpr std::size_t kNone = ~std::size_t{0};

  void start(std::size_t sample, std::size_t free_neuron);
  void visit(std::size_t index, double probability);
  void record(double probability);
  unsigned wire(std::uint32_t number) const { return number == kZeroWire ? 0 : wires_[number]; }
  double weight(std::size_t neuron, GateSet set) const;

  const GateList& gates_;
  const CountTable& counts_;
  const Population& population_;
  const Distribution& q_;
  std::size_t free_neuron_ = kNone;               // the neuron that is not thrown but kept open
  std::vector<std::uint8_t> wires_;               // bits on the current path
  std::vector<GateSet> possible_;                 // [neuron] gates that agree with the bits so far
  std::array<std::vector<double>, kSlots> sums_;  // [gate of the free neuron][number]; only [0] without one
};

// E_q[R(G)]: the expected risk of a network drawn from q.
double expected_risk(const Problem& problem, const CountTable& counts, const Distribution& q);

// C_i^CE(k) for all sixteen gates: the expected risk when one neuron is fixed and the others are drawn from q.
GateWeights conditional_risks(const Problem& problem, const CountTable& counts, const Distribution& q,
                              std::size_t neuron);

}  // namespace firn::theory
