#include "firn/theory/completions.h"

namespace firn::theory {
namespace {

// Gates whose truth table has a 1 in column 2a + b.
constexpr auto kTrueAt = [] {
  std::array<std::uint32_t, 4> sets{};
  for (unsigned k = 0; k < kSlots; ++k)
    for (unsigned column = 0; column < 4; ++column)
      if (eval(static_cast<Gate>(k), column / 2, column % 2)) sets[column] |= 1u << k;
  return sets;
}();

constexpr std::size_t kMaxOutcomes = std::size_t{1} << 27;  // about half a minute for all decisions of a selection

}  // namespace

bool can_enumerate(const Problem& problem) {
  const std::size_t gates = problem.network.gates().applications.size();
  return gates < 27 && (problem.population.size() << gates) <= kMaxOutcomes;
}

Completions::Completions(const Problem& problem, const CountTable& counts, const Distribution& q)
    : gates_(problem.network.gates()), counts_(counts), population_(problem.population), q_(q) {
  FIRN_CHECK(q.size() == gates_.neurons);
}

std::vector<double> Completions::distribution(std::size_t sample) {
  sums_[0].assign(counts_.size(), 0.0);
  start(sample, kNone);
  return sums_[0];
}

std::array<std::vector<double>, kSlots> Completions::conditional(std::size_t sample, std::size_t neuron) {
  for (auto& sums : sums_) sums.assign(counts_.size(), 0.0);
  start(sample, neuron);
  return sums_;
}

void Completions::start(std::size_t sample, std::size_t free_neuron) {
  free_neuron_ = free_neuron;
  wires_ = population_.bits[sample];
  wires_.resize(gates_.inputs + gates_.applications.size());
  possible_.assign(gates_.neurons, kAllGates);
  visit(0, 1);
}

void Completions::visit(std::size_t index, double probability) {
  if (index == gates_.applications.size()) return record(probability);
  const Application& gate = gates_.applications[index];
  std::uint8_t& out = wires_[gates_.inputs + index];
  const unsigned a = wire(gate.a), b = wire(gate.b);
  if (gate.neuron == kPoolGate) {
    out = static_cast<std::uint8_t>(a | b);
    return visit(index + 1, probability);
  }
  const GateSet before = possible_[gate.neuron], ones = kTrueAt[2 * a + b];
  const double total = gate.neuron == free_neuron_ ? 1 : weight(gate.neuron, before);
  for (const bool bit : {false, true}) {
    const GateSet after = before & (bit ? ones : ~ones);
    if (after == 0) continue;
    const double share = gate.neuron == free_neuron_ ? 1 : weight(gate.neuron, after) / total;
    if (share == 0) continue;
    possible_[gate.neuron] = after;
    out = bit;
    visit(index + 1, probability * share);
  }
  possible_[gate.neuron] = before;
}

void Completions::record(double probability) {
  std::size_t number = 0;
  for (std::size_t o = 0; o < gates_.outputs.size(); ++o)
    if (wire(gates_.outputs[o])) number += counts_.step(o);
  if (free_neuron_ == kNone) {
    sums_[0][number] += probability;
    return;
  }
  for (std::size_t k = 0; k < kSlots; ++k)
    if (possible_[free_neuron_] >> k & 1) sums_[k][number] += probability;
}

double Completions::weight(std::size_t neuron, GateSet set) const {
  double total = 0;
  for (std::size_t k = 0; k < kSlots; ++k)
    if (set >> k & 1) total += q_[neuron][k];
  return total;
}

double expected_risk(const Problem& problem, const CountTable& counts, const Distribution& q) {
  Completions completions(problem, counts, q);
  double risk = 0;
  for (std::size_t s = 0; s < problem.population.size(); ++s) {
    const auto probabilities = completions.distribution(s);
    for (std::size_t n = 0; n < counts.size(); ++n)
      risk += problem.population.weights[s] * probabilities[n] * counts.loss(n, problem.population.labels[s]);
  }
  return risk;
}

GateWeights conditional_risks(const Problem& problem, const CountTable& counts, const Distribution& q,
                              std::size_t neuron) {
  Completions completions(problem, counts, q);
  GateWeights risks{};
  for (std::size_t s = 0; s < problem.population.size(); ++s) {
    const auto probabilities = completions.conditional(s, neuron);
    for (std::size_t k = 0; k < kSlots; ++k)
      for (std::size_t n = 0; n < counts.size(); ++n)
        risks[k] += problem.population.weights[s] * probabilities[k][n] * counts.loss(n, problem.population.labels[s]);
  }
  return risks;
}

}  // namespace firn::theory
