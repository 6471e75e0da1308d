#include "firn/diagnose/mixtures.h"

#include <algorithm>
#include <cmath>

#include "firn/base/error.h"

namespace firn::diagnose {

Terms gate_terms(Gate gate) {
  const auto c = coefficients(gate);
  return {c[0], c[1], c[2], c[3]};
}

template <class T>
std::array<T, kSlots> mixture_weights(const Neurons& neurons, std::size_t i, double temperature) {
  std::array<T, kSlots> q{};
  if (neurons.frozen[i] >= 0) {
    q[static_cast<std::size_t>(neurons.frozen[i])] = 1;
    return q;
  }
  const auto logits = neurons.logits[i];
  const T top = *std::max_element(logits.begin(), logits.end());
  T total = 0;
  for (std::size_t k = 0; k < kSlots; ++k) total += q[k] = std::exp((logits[k] - top) / static_cast<T>(temperature));
  for (T& weight : q) weight /= total;
  return q;
}

template std::array<double, kSlots> mixture_weights(const Neurons&, std::size_t, double);
template std::array<long double, kSlots> mixture_weights(const Neurons&, std::size_t, double);

Mixtures::Mixtures(const Model& model, double temperature) {
  const auto all = model.neurons();
  const bool has_convolutions = std::ranges::any_of(all, [](const Neurons* n) { return n->convolutional; });
  for (const Neurons* neurons : all) {
    groups_.push_back({neurons->name, weights_.size(), neurons->count(), neurons->convolutional || !has_convolutions});
    const auto chosen = neurons->chosen_slots();
    chosen_.insert(chosen_.end(), chosen.begin(), chosen.end());
    for (std::size_t i = 0; i < neurons->count(); ++i) {
      is_frozen_.push_back(neurons->frozen[i] >= 0);
      weights_.push_back(mixture_weights<double>(*neurons, i, temperature));
      Terms mixed{};
      for (std::size_t k = 0; k < kSlots; ++k) {
        const Gate gate = neurons->gate(i, k);
        opcodes_.push_back(static_cast<std::uint8_t>(gate));
        const Terms terms = gate_terms(gate);
        for (std::size_t t = 0; t < 4; ++t) mixed[t] += weights_.back()[k] * terms[t];
      }
      mixed_.push_back(mixed);
    }
  }
}

const Mixtures::Group& Mixtures::group_of(std::size_t neuron) const {
  for (const Group& group : groups_)
    if (group.contains(neuron)) return group;
  FIRN_CHECK(false && "no such neuron");
  return groups_.back();
}

double Mixtures::entropy(std::size_t neuron) const {
  double sum = 0;
  for (double q : weights_[neuron])
    if (q > 0) sum -= q * std::log(q);
  return sum / std::log(static_cast<double>(kSlots));
}

Terms Mixtures::towards(std::size_t neuron, std::size_t k) const {
  const Terms target = gate_terms(gate(neuron, k));
  Terms sum{};
  for (std::size_t h = 0; h < kSlots; ++h) {
    if (h == k) continue;
    const Terms other = gate_terms(gate(neuron, h));
    for (std::size_t t = 0; t < 4; ++t) sum[t] += weights_[neuron][h] * (target[t] - other[t]);
  }
  return sum;
}

}  // namespace firn::diagnose
