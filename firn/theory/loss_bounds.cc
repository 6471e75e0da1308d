#include "firn/theory/loss_bounds.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace firn::theory {
namespace {

// Room for the rounding of exp and of the division, which are not correctly rounded.
constexpr double kRounding = 1e-14;

double sigmoid(double z) {
  return 1 / (1 + std::exp(-z));
}

Interval sigmoid(const Interval& z) {
  return intersection({0, 1}, {sigmoid(z.low) - kRounding, sigmoid(z.high) + kRounding});
}

// p (1 - p): largest in the middle, smallest at an end.
Interval spread(const Interval& p) {
  const auto at = [](double v) { return v * (1 - v); };
  const double top = p.contains(0.5) ? 0.25 : std::max(at(p.low), at(p.high));
  return Interval::outwards(std::min(at(p.low), at(p.high)), top);
}

Interval bce(const IntervalJet& z, std::size_t label) {
  const Interval p = sigmoid(z.value);
  return spread(p) * square(z.first) + (p - Interval(static_cast<double>(label))) * z.second;
}

Interval squared(const std::vector<IntervalJet>& scores, std::size_t label) {
  Interval sum;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    const double target = scores.size() == 1 ? static_cast<double>(label) : static_cast<double>(c == label);
    sum += Interval(2) * (square(scores[c].first) + (scores[c].value - Interval(target)) * scores[c].second);
  }
  return sum;
}

// The softmax probability of class c falls with the other scores and grows with its own.
Interval probability(const std::vector<IntervalJet>& scores, std::size_t c) {
  double most = 1, least = 1;  // of the sum of exp(z_j - z_c)
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (j == c) continue;
    most += std::exp(scores[j].value.high - scores[c].value.low);
    least += std::exp(scores[j].value.low - scores[c].value.high);
  }
  return intersection({0, 1}, {1 / most - kRounding, 1 / least + kRounding});
}

// With probabilities p the second derivative is the variance of z' under p plus the sum of (p_c - [c = label]) z''_c.
// A variance is between 0 and a quarter of the squared range.
Interval cross_entropy(const std::vector<IntervalJet>& scores, std::size_t label) {
  double low = scores[0].first.low, high = scores[0].first.high;
  Interval sum;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    low = std::min(low, scores[c].first.low);
    high = std::max(high, scores[c].first.high);
    sum += (probability(scores, c) - Interval(static_cast<double>(c == label))) * scores[c].second;
  }
  return sum + Interval(0, square(Interval::outwards(high - low, high - low)).high / 4);
}

}  // namespace

double lipschitz_constant(const Problem& problem) {
  if (problem.loss.name == "bce") return 1;
  if (problem.loss.name == "cross-entropy") return std::numbers::sqrt2;
  // The gradient 2 (z - y) is longest at a corner of the box of scores. Targets are 0 and 1, or whatever labels are.
  const GateList& gates = problem.network.gates();
  const double end = gates.offset + gates.factor * static_cast<double>(gates.group_rows());
  const double low = std::min(gates.offset, end), high = std::max(gates.offset, end);
  const auto top_label = static_cast<double>(std::ranges::max(problem.population.labels));
  const double target = gates.groups == 1 ? std::max(1.0, top_label) : 1;
  const double farthest = std::max({std::abs(low), std::abs(high), std::abs(low - target), std::abs(high - target)});
  return 2 * farthest * std::sqrt(static_cast<double>(gates.groups));
}

Interval second_derivative(std::string_view loss, const std::vector<IntervalJet>& scores, std::size_t label) {
  if (loss == "bce") return bce(scores[0], label);
  if (loss == "squared") return squared(scores, label);
  FIRN_CHECK(loss == "cross-entropy");
  return cross_entropy(scores, label);
}

}  // namespace firn::theory
