#include "firn/theory/assignments.h"

#include <algorithm>
#include <limits>

namespace firn::theory {

AssignmentRisk::AssignmentRisk(const Problem& problem, const CountTable& counts)
    : gates_(problem.network.gates()),
      counts_(counts),
      population_(problem.population),
      wires_(gates_.inputs + gates_.applications.size() + 1, (population_.size() + 63) / 64, sizeof(std::uint64_t)),
      current_(gates_.neurons),
      is_set_(gates_.neurons),
      number_(population_.size()) {
  for (std::size_t s = 0; s < population_.size(); ++s)
    for (std::size_t i = 0; i < gates_.inputs; ++i)
      wires_.row(i)[s / 64] |= std::uint64_t{population_.bits[s][i]} << (s % 64);
}

void AssignmentRisk::apply(std::size_t index, Gate gate) {
  const Application& application = gates_.applications[index];
  const auto row = [&](std::uint32_t wire) { return wires_.row(wire == kZeroWire ? wires_.rows() - 1 : wire); };
  const std::uint64_t *a = row(application.a), *b = row(application.b);
  std::uint64_t* out = wires_.row(gates_.inputs + index);
  std::uint64_t ones[4];  // all ones where the truth table has a 1
  for (unsigned column = 0; column < 4; ++column)
    ones[column] = eval(gate, column / 2, column % 2) ? ~std::uint64_t{0} : 0;
  for (std::size_t w = 0; w < wires_.cols(); ++w)
    out[w] = (ones[0] & ~a[w] & ~b[w]) | (ones[1] & ~a[w] & b[w]) | (ones[2] & a[w] & ~b[w]) | (ones[3] & a[w] & b[w]);
}

double AssignmentRisk::risk() {
  std::ranges::fill(number_, 0u);
  for (std::size_t o = 0; o < gates_.outputs.size(); ++o) {
    const std::uint64_t* row = wires_.row(gates_.outputs[o]);
    const auto step = static_cast<std::uint32_t>(counts_.step(o));
    for (std::size_t s = 0; s < number_.size(); ++s)
      number_[s] += step * static_cast<std::uint32_t>(row[s / 64] >> (s % 64) & 1);
  }
  double risk = 0;
  for (std::size_t s = 0; s < number_.size(); ++s)
    risk += population_.weights[s] * counts_.loss(number_[s], population_.labels[s]);
  return risk;
}

double AssignmentRisk::operator()(const Assignment& gates) {
  for (std::size_t i = 0; i < gates_.applications.size(); ++i) {
    const std::uint32_t neuron = gates_.applications[i].neuron;
    apply(i, neuron == kPoolGate ? Gate::kOr : gates[neuron]);
  }
  return risk();
}

void AssignmentRisk::for_each(const std::function<void(const Assignment&, double)>& body) {
  visit(0, body);
}

void AssignmentRisk::visit(std::size_t index, const std::function<void(const Assignment&, double)>& body) {
  if (index == gates_.applications.size()) return body(current_, risk());
  const std::uint32_t neuron = gates_.applications[index].neuron;
  if (neuron == kPoolGate || is_set_[neuron]) {
    apply(index, neuron == kPoolGate ? Gate::kOr : current_[neuron]);
    return visit(index + 1, body);
  }
  is_set_[neuron] = true;
  for (int k = 0; k < kGates; ++k) {
    current_[neuron] = static_cast<Gate>(k);
    apply(index, current_[neuron]);
    visit(index + 1, body);
  }
  is_set_[neuron] = false;
}

double discrete_risk(const Problem& problem, const CountTable& counts, const Assignment& gates) {
  return AssignmentRisk(problem, counts)(gates);
}

BestAssignment best_assignment(const Problem& problem, const CountTable& counts) {
  FIRN_CHECK(problem.network.neurons() <= kMaxSearched);
  BestAssignment best{{}, std::numeric_limits<double>::infinity()};
  AssignmentRisk(problem, counts).for_each([&](const Assignment& gates, double risk) {
    if (risk < best.risk) best = {gates, risk};
  });
  return best;
}

}  // namespace firn::theory
