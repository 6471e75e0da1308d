#include "firn/theory/decomposition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "firn/base/random.h"
#include "firn/theory/assignments.h"
#include "firn/theory/relaxed.h"

namespace firn::theory {
namespace {

using Tables = std::vector<std::array<double, 4>>;  // [neuron][2a + b]: mean of the neuron's truth table

// The gate whose truth table has its only 1 in a column.
std::size_t minterm(std::size_t column) {
  return std::size_t{8} >> column;
}

Tables tables_of(const Distribution& q) {
  Tables tables;
  for (const GateWeights& row : q) {
    auto& table = tables.emplace_back();
    for (std::size_t c = 0; c < 4; ++c) {
      table[c] = 0;
      for (std::size_t k = 0; k < kSlots; ++k)
        if (eval(static_cast<Gate>(k), c / 2 == 1, c % 2 == 1)) table[c] += row[k];
      table[c] = std::clamp(table[c], 0.0, 1.0);
    }
  }
  return tables;
}

// A distribution with these means: the four columns are independent coins.
Distribution distribution_of(const Tables& tables) {
  Distribution q;
  for (const auto& table : tables) {
    GateWeights& row = q.emplace_back();
    for (std::size_t k = 0; k < kSlots; ++k) {
      row[k] = 1;
      for (std::size_t c = 0; c < 4; ++c)
        row[k] *= eval(static_cast<Gate>(k), c / 2 == 1, c % 2 == 1) ? table[c] : 1 - table[c];
    }
  }
  return q;
}

struct Descent {
  Tables tables;
  double risk;
};

// Projected gradient descent; the step grows while it helps and shrinks when it does not.
Descent descend(const Problem& problem, Tables tables) {
  Descent at{std::move(tables), 0};
  at.risk = relaxed_risk(problem, distribution_of(at.tables));
  double step = 1;
  for (int round = 0; round < 2000 && step > 1e-12; ++round) {
    const Distribution gradient = weight_gradient(problem, distribution_of(at.tables));
    for (; step > 1e-12; step /= 4) {
      Descent next = at;
      double moved = 0;
      for (std::size_t n = 0; n < next.tables.size(); ++n)
        for (std::size_t c = 0; c < 4; ++c) {
          double& mean = next.tables[n][c];
          mean = std::clamp(mean - step * gradient[n][minterm(c)], 0.0, 1.0);
          moved += (mean - at.tables[n][c]) * (mean - at.tables[n][c]);
        }
      if (moved == 0) return at;
      next.risk = relaxed_risk(problem, distribution_of(next.tables));
      if (next.risk > at.risk - 1e-4 * moved / step) continue;
      at = std::move(next);
      break;
    }
    step *= 2;
  }
  return at;
}

// The best a single score can do for one input whose label is 1 with probability p; `low` and `high` bound the score,
// or for two scores their difference.
double best_loss_of_input(const Problem& problem, double p, double low, double high) {
  const bool squared = problem.loss.name == "squared";
  const double wanted = squared ? p : p <= 0 ? low : p >= 1 ? high : std::log(p / (1 - p));
  const double score = std::clamp(wanted, low, high);
  const reference::Values<double> scores =
      problem.network.gates().groups == 1 ? reference::Values<double>{score} : reference::Values<double>{0, score};
  return (1 - p) * problem.loss.value(scores, 0) + p * problem.loss.value(scores, 1);
}

double bound_by_inputs(const Problem& problem) {
  const GateList& gates = problem.network.gates();
  FIRN_CHECK(gates.groups <= 2 && (gates.groups == 1 || problem.loss.name == "cross-entropy"));
  const double span = gates.factor * static_cast<double>(gates.group_rows());
  const double low = gates.groups == 1 ? gates.offset : -span, high = gates.groups == 1 ? gates.offset + span : span;
  struct Input {
    double weight = 0, positive = 0;
  };
  std::map<std::string, Input> inputs;
  for (std::size_t s = 0; s < problem.population.size(); ++s) {
    const auto& bits = problem.population.bits[s];
    Input& input = inputs[std::string(bits.begin(), bits.end())];
    input.weight += problem.population.weights[s];
    if (problem.population.labels[s] == 1) input.positive += problem.population.weights[s];
  }
  double bound = 0;
  for (const auto& [bits, input] : inputs)
    bound += input.weight * best_loss_of_input(problem, input.positive / input.weight, low, high);
  return bound;
}

bool has_one_layer(const GateList& gates) {
  return !gates.has_pool && std::ranges::all_of(gates.applications, [&](const Application& gate) {
    const auto is_input = [&](std::uint32_t wire) { return wire == kZeroWire || wire < gates.inputs; };
    return is_input(gate.a) && is_input(gate.b);
  });
}

// A convex risk is nowhere lower than its tangent promises, and the tangent is lowest where every neuron takes the gate
// with the smallest score.
double bound_by_tangent(const Problem& problem, const Distribution& q, double risk) {
  double promised = 0;
  for (const GateWeights& scores : first_order_scores(problem, q)) promised += std::ranges::min(scores);
  return risk + promised;
}

}  // namespace

Distribution fit(const Problem& problem, Distribution q, const FitSettings& settings) {
  constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;
  Distribution logits = q, first(q.size(), GateWeights{}), second = first;
  for (GateWeights& row : logits)
    for (double& logit : row) logit = std::log(std::max(logit, 1e-300));
  for (std::size_t t = 1; t <= settings.steps; ++t) {
    const Distribution scores = first_order_scores(problem, q);
    const double bias1 = 1 - std::pow(kBeta1, t), bias2 = 1 - std::pow(kBeta2, t);
    for (std::size_t n = 0; n < q.size(); ++n) {
      double total = 0;
      for (std::size_t k = 0; k < kSlots; ++k) {
        const double gradient = q[n][k] * scores[n][k];
        first[n][k] = kBeta1 * first[n][k] + (1 - kBeta1) * gradient;
        second[n][k] = kBeta2 * second[n][k] + (1 - kBeta2) * gradient * gradient;
        logits[n][k] -= settings.rate * first[n][k] / bias1 / (std::sqrt(second[n][k] / bias2) + kEpsilon);
      }
      const double top = std::ranges::max(logits[n]);
      for (std::size_t k = 0; k < kSlots; ++k) total += q[n][k] = std::exp(logits[n][k] - top);
      for (double& weight : q[n]) weight /= total;
    }
  }
  return q;
}

RelaxedOptimum find_relaxed_optimum(const Problem& problem, const std::vector<Distribution>& given, std::size_t starts,
                                    std::uint64_t seed) {
  RandomSequence random(seed, "theory/starts");
  RelaxedOptimum best;
  for (std::size_t start = 0; start < std::max(starts, given.size()); ++start) {
    Tables tables(problem.network.neurons());
    if (start < given.size())
      tables = tables_of(given[start]);
    else
      for (auto& table : tables)
        for (double& mean : table) mean = random.uniform_double();
    const Descent end = descend(problem, std::move(tables));
    if (start == 0 || end.risk < best.risk) best = {distribution_of(end.tables), end.risk, 0};
  }
  best.lower_bound = bound_by_inputs(problem);
  if (has_one_layer(problem.network.gates()))
    best.lower_bound = std::max(best.lower_bound, bound_by_tangent(problem, best.q, best.risk));
  return best;
}

GapDecomposition measure_gaps(const Problem& problem, const CountTable& counts, const Distribution& trained,
                              std::size_t starts, std::uint64_t seed) {
  const BestAssignment best = best_assignment(problem, counts);
  // The best discrete network is a relaxed one too: starting from it, the relaxed optimum cannot come out worse.
  const RelaxedOptimum optimum = find_relaxed_optimum(problem, {trained, all_on(best.gates)}, starts, seed);
  GapDecomposition gaps;
  gaps.relaxed = relaxed_risk(problem, trained);
  gaps.best_relaxed = optimum.risk;
  gaps.relaxed_bound = optimum.lower_bound;
  gaps.argmax = discrete_risk(problem, counts, argmax(trained));
  gaps.best = best.risk;
  return gaps;
}

}  // namespace firn::theory
