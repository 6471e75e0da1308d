#include "firn/theory/relaxed.h"

namespace firn::theory {
namespace {

reference::Values<double> input_values(const Population& population, std::size_t sample) {
  return {population.bits[sample].begin(), population.bits[sample].end()};
}

}  // namespace

std::vector<reference::Values<double>> relaxed_class_sums(const Problem& problem, const Distribution& q) {
  const auto weights = problem.network.weights(q);
  std::vector<reference::Values<double>> scores;
  for (std::size_t s = 0; s < problem.population.size(); ++s)
    scores.push_back(problem.network.formulas().forward(weights, input_values(problem.population, s)).back());
  return scores;
}

double risk_of_class_sums(const Problem& problem, const std::vector<reference::Values<double>>& scores) {
  double risk = 0;
  for (std::size_t s = 0; s < scores.size(); ++s)
    risk += problem.population.weights[s] * problem.loss.value(scores[s], problem.population.labels[s]);
  return risk;
}

double relaxed_risk(const Problem& problem, const Distribution& q) {
  return risk_of_class_sums(problem, relaxed_class_sums(problem, q));
}

GateWeights intervention_risks(const Problem& problem, const Distribution& q, std::size_t neuron) {
  GateWeights risks;
  Distribution forced = q;
  for (std::size_t k = 0; k < kSlots; ++k) {
    forced[neuron] = all_on(static_cast<Gate>(k));
    risks[k] = relaxed_risk(problem, forced);
  }
  return risks;
}

Distribution weight_gradient(const Problem& problem, const Distribution& q) {
  const reference::Network& formulas = problem.network.formulas();
  const auto weights = problem.network.weights(q);
  auto slopes = formulas.make_weights<double>();
  for (std::size_t s = 0; s < problem.population.size(); ++s) {
    const auto values = formulas.forward(weights, input_values(problem.population, s));
    auto grad = problem.loss.gradient(values.back(), problem.population.labels[s]);
    for (double& g : grad) g *= problem.population.weights[s];
    formulas.backward(weights, values, grad, slopes);
  }
  Distribution gradient;
  for (const auto& group : slopes)
    for (std::size_t first = 0; first < group.size(); first += kSlots)
      for (std::size_t k = 0; k < kSlots; ++k) {
        if (k == 0) gradient.emplace_back();
        gradient.back()[k] = group[first + k];
      }
  return gradient;
}

Distribution first_order_scores(const Problem& problem, const Distribution& q) {
  Distribution scores = weight_gradient(problem, q);
  for (std::size_t n = 0; n < scores.size(); ++n) {
    double mean = 0;
    for (std::size_t k = 0; k < kSlots; ++k) mean += q[n][k] * scores[n][k];
    for (double& score : scores[n]) score -= mean;
  }
  return scores;
}

}  // namespace firn::theory
