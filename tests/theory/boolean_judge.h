// The independent judge of the theory's discrete networks: freezes a model's neurons and runs its Boolean network.
#pragma once

#include <functional>
#include <vector>

#include "firn/network/evaluate.h"
#include "firn/theory/problem.h"

namespace firn {

class BooleanJudge {
 public:
  BooleanJudge(SmallNetwork& network, const Population& population, const reference::LossFormulas& loss)
      : network_(network), population_(population), loss_(loss), words_((population.size() + 127) / 128 * 2) {
    bits_ = Matrix<std::uint64_t>(population.inputs, words_, 16);
    for (std::size_t s = 0; s < population.size(); ++s)
      for (std::size_t i = 0; i < population.inputs; ++i)
        bits_.row(i)[s / 64] |= std::uint64_t{population.bits[s][i]} << (s % 64);
  }

  double risk(const Assignment& gates) {
    std::size_t neuron = 0;
    for (Neurons* group : network_.model().neurons())
      for (std::int8_t& frozen : group->frozen) frozen = static_cast<std::int8_t>(gates[neuron++]);
    const BooleanNetwork circuit = network_.model().harden();
    for (Neurons* group : network_.model().neurons())
      for (std::int8_t& frozen : group->frozen) frozen = kNotFrozen;
    BitEvaluator evaluator(circuit, words_);
    const auto& counts = evaluator.count(bits_, threads_);
    double risk = 0;
    for (std::size_t s = 0; s < population_.size(); ++s) {
      reference::Values<double> sums;
      for (std::size_t c = 0; c < circuit.head.groups; ++c)
        sums.push_back(network_.gates().offset +
                       network_.gates().factor * static_cast<double>(counts[c * evaluator.samples() + s]));
      risk += population_.weights[s] * loss_.value(sums, population_.labels[s]);
    }
    return risk;
  }

  // All 16^N assignments, one after the other.
  void for_each(const std::function<void(const Assignment&, double)>& body) {
    const std::size_t neurons = network_.neurons();
    for (std::size_t number = 0; number < std::size_t{1} << (4 * neurons); ++number) {
      Assignment gates;
      for (std::size_t n = 0; n < neurons; ++n) gates.push_back(static_cast<Gate>(number >> (4 * n) & 15));
      body(gates, risk(gates));
    }
  }

 private:
  SmallNetwork& network_;
  const Population& population_;
  const reference::LossFormulas& loss_;
  std::size_t words_;
  Matrix<std::uint64_t> bits_;
  Threads threads_{1};
};

}  // namespace firn
