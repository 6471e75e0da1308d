#include "firn/theory/problem.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace firn::theory {

GateWeights all_on(Gate gate) {
  GateWeights weights{};
  weights[static_cast<std::size_t>(gate)] = 1;
  return weights;
}

Distribution all_on(const Assignment& gates) {
  Distribution q;
  for (Gate gate : gates) q.push_back(all_on(gate));
  return q;
}

Assignment argmax(const Distribution& q) {
  Assignment gates;
  for (const GateWeights& row : q) gates.push_back(static_cast<Gate>(std::ranges::max_element(row) - row.begin()));
  return gates;
}

SmallNetwork::SmallNetwork(std::unique_ptr<Model> model)
    : model_(std::move(model)), formulas_(*model_), gates_(list_gates(*model_)) {}

Distribution SmallNetwork::distribution() const {
  Distribution q;
  for (const Neurons* group : std::as_const(*model_).neurons())
    for (std::size_t i = 0; i < group->count(); ++i) {
      if (group->frozen[i] != kNotFrozen) {
        q.push_back(all_on(static_cast<Gate>(group->frozen[i])));
        continue;
      }
      const auto logits = group->logits[i];
      const double top = *std::ranges::max_element(logits);
      GateWeights row;
      double total = 0;
      for (std::size_t k = 0; k < kSlots; ++k) total += row[k] = std::exp(logits[k] - top);
      for (double& weight : row) weight /= total;
      q.push_back(row);
    }
  return q;
}

reference::Weights<double> SmallNetwork::weights(const Distribution& q) const {
  FIRN_CHECK(q.size() == neurons());
  reference::Weights<double> weights;
  std::size_t neuron = 0;
  for (std::size_t count : formulas_.neuron_counts()) {
    auto& group = weights.emplace_back();
    for (std::size_t i = 0; i < count; ++i, ++neuron) group.insert(group.end(), q[neuron].begin(), q[neuron].end());
  }
  return weights;
}

Population as_seen_by(const GateList& gates, const Population& population) {
  std::vector<bool> is_read(gates.inputs);
  for (const Application& gate : gates.applications)
    for (std::uint32_t wire : {gate.a, gate.b})
      if (wire < gates.inputs) is_read[wire] = true;
  std::map<std::pair<std::string, std::size_t>, double> weights;  // of bits and label
  for (std::size_t s = 0; s < population.size(); ++s) {
    std::string bits(population.bits[s].begin(), population.bits[s].end());
    for (std::size_t i = 0; i < bits.size(); ++i)
      if (!is_read[i]) bits[i] = 0;
    weights[{bits, population.labels[s]}] += population.weights[s];
  }
  Population seen{.inputs = population.inputs, .bits = {}, .labels = {}, .weights = {}};
  for (const auto& [sample, weight] : weights)
    seen.add({sample.first.begin(), sample.first.end()}, sample.second, weight);
  return seen;
}

}  // namespace firn::theory
