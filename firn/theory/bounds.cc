#include "firn/theory/bounds.h"

#include <algorithm>
#include <cmath>

#include "firn/discretize/lowest_score.h"
#include "firn/theory/completions.h"
#include "firn/theory/curvature.h"
#include "firn/theory/loss_bounds.h"
#include "firn/theory/relaxed.h"

namespace firn::theory {
namespace {

using Scores = reference::Values<double>;

double distance(const Scores& x, const Scores& y) {
  double squares = 0;
  for (std::size_t c = 0; c < x.size(); ++c) squares += (x[c] - y[c]) * (x[c] - y[c]);
  return std::sqrt(squares);
}

Scores mean_of(const std::vector<double>& probabilities, const CountTable& counts) {
  Scores mean(counts.class_sums(0).size());
  for (std::size_t n = 0; n < probabilities.size(); ++n)
    for (std::size_t c = 0; c < mean.size(); ++c) mean[c] += probabilities[n] * counts.class_sums(n)[c];
  return mean;
}

double deviation_from(const Scores& mean, const std::vector<double>& probabilities, const CountTable& counts) {
  double variance = 0;
  for (std::size_t n = 0; n < probabilities.size(); ++n) {
    const double d = distance(counts.class_sums(n), mean);
    variance += probabilities[n] * d * d;
  }
  return std::sqrt(variance);
}

// C^CE, V and P from the distribution of the counts under each gate.
void add_completions(const Problem& problem, const CountTable& counts, const Distribution& q, std::size_t neuron,
                     NeuronBounds& bounds) {
  Completions completions(problem, counts, q);
  std::vector<std::vector<Scores>> relaxed;  // [gate][sample]
  Distribution forced = q;
  for (std::size_t k = 0; k < kSlots; ++k) {
    forced[neuron] = all_on(static_cast<Gate>(k));
    relaxed.push_back(relaxed_class_sums(problem, forced));
    bounds.relaxed[k] = risk_of_class_sums(problem, relaxed[k]);
  }
  for (std::size_t s = 0; s < problem.population.size(); ++s) {
    const double weight = problem.population.weights[s];
    const auto distributions = completions.conditional(s, neuron);
    for (std::size_t k = 0; k < kSlots; ++k) {
      const Scores mean = mean_of(distributions[k], counts);
      bounds.spread[k] += weight * deviation_from(mean, distributions[k], counts);
      bounds.mismatch[k] += weight * distance(mean, relaxed[k][s]);
      for (std::size_t n = 0; n < counts.size(); ++n)
        bounds.conditional[k] += weight * distributions[k][n] * counts.loss(n, problem.population.labels[s]);
    }
  }
}

// E[(a_ik - a_i)^2] for a neuron that acts at one place.
GateWeights displacements(const Problem& problem, const Distribution& q, std::size_t neuron) {
  const GateList& gates = problem.network.gates();
  GateWeights squares{};
  for (std::size_t s = 0; s < problem.population.size(); ++s) {
    const auto& bits = problem.population.bits[s];
    walk(gates, std::vector<double>(bits.begin(), bits.end()), [&](std::uint32_t n, double a, double b) {
      const double soft = reference::neuron_value(reference::slots_on_pair(0, 1), q[n].data(), {a, b});
      for (std::size_t k = 0; n == neuron && k < kSlots; ++k) {
        const double moved = reference::gate_value(static_cast<Gate>(k), a, b) - soft;
        squares[k] += problem.population.weights[s] * moved * moved;
      }
      return soft;
    });
  }
  return squares;
}

}  // namespace

double NeuronBounds::epsilon() const {
  double largest = 0;
  for (std::size_t k = 0; k < kSlots; ++k) largest = std::max(largest, epsilon(k));
  return largest;
}

NeuronBounds bound_neuron(const Problem& problem, const CountTable& counts, const Distribution& q, std::size_t neuron) {
  FIRN_CHECK(!problem.network.gates().is_shared && !problem.network.gates().has_pool);
  NeuronBounds bounds{};
  add_completions(problem, counts, q, neuron, bounds);
  bounds.soft = relaxed_risk(problem, q);
  bounds.score = first_order_scores(problem, q)[neuron];
  bounds.displacement = displacements(problem, q, neuron);
  bounds.lipschitz = lipschitz_constant(problem);
  bounds.curvature = curvature_bound(problem, q, neuron);
  bounds.argmax = static_cast<std::size_t>(std::ranges::max_element(q[neuron]) - q[neuron].begin());
  bounds.first_order = lowest_score(bounds.score, bounds.argmax);
  return bounds;
}

}  // namespace firn::theory
