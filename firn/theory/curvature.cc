#include "firn/theory/curvature.h"

#include <algorithm>
#include <array>

namespace firn::theory {
namespace {

using Mixture = std::array<double, 4>;  // of a neuron: f(a, b) = m[0] + m[1] a + m[2] b + m[3] ab

Mixture mixture_of(const GateWeights& weights) {
  Mixture mixture{};
  for (std::size_t k = 0; k < kSlots; ++k) {
    const auto c = coefficients(static_cast<Gate>(k));
    for (std::size_t t = 0; t < 4; ++t) mixture[t] += weights[k] * static_cast<double>(c[t]);
  }
  return mixture;
}

// A mixture is affine in each operand, so its values over a box lie between those at the corners; adding up the terms
// as intervals would forget that they move together.
Interval value_over_box(const Mixture& m, const Interval& a, const Interval& b) {
  double low = 1, high = 0;
  for (double x : {a.low, a.high})
    for (double y : {b.low, b.high}) {
      const double value = m[0] + m[1] * x + m[2] * y + m[3] * x * y;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  constexpr double kRounding = 1e-15;  // of the four terms
  return intersection({0, 1}, {low - kRounding, high + kRounding});
}

IntervalJet apply(const Mixture& m, const IntervalJet& a, const IntervalJet& b) {
  const Interval in_a = Interval(m[1]) + Interval(m[3]) * b.value, in_b = Interval(m[2]) + Interval(m[3]) * a.value;
  return {value_over_box(m, a.value, b.value), in_a * a.first + in_b * b.first,
          in_a * a.second + in_b * b.second + Interval(2 * m[3]) * a.first * b.first};
}

}  // namespace

std::vector<IntervalJet> scores_along(const Problem& problem, const Distribution& q, std::size_t neuron,
                                      std::size_t sample, const Interval& range) {
  const GateList& gates = problem.network.gates();
  FIRN_CHECK(!gates.has_pool && !gates.is_shared);
  const auto& bits = problem.population.bits[sample];
  const std::vector<IntervalJet> inputs(bits.begin(), bits.end());
  const auto wires = walk(gates, inputs, [&](std::uint32_t n, const IntervalJet& a, const IntervalJet& b) {
    return n == neuron ? IntervalJet(range, 1, 0) : apply(mixture_of(q[n]), a, b);
  });
  std::vector<IntervalJet> scores(gates.groups);
  for (std::size_t o = 0; o < gates.outputs.size(); ++o) scores[o / gates.group_rows()] += wires[gates.outputs[o]];
  for (IntervalJet& score : scores) score = IntervalJet(gates.offset) + IntervalJet(gates.factor) * score;
  return scores;
}

double curvature_bound(const Problem& problem, const Distribution& q, std::size_t neuron, std::size_t pieces) {
  double bound = 0;
  for (std::size_t s = 0; s < problem.population.size(); ++s)
    for (std::size_t p = 0; p < pieces; ++p) {
      const auto at = [&](std::size_t i) { return static_cast<double>(i) / static_cast<double>(pieces); };
      const auto scores = scores_along(problem, q, neuron, s, {at(p), at(p + 1)});
      bound = std::max(bound, second_derivative(problem.loss.name, scores, problem.population.labels[s]).magnitude());
    }
  return bound;
}

}  // namespace firn::theory
