#include "firn/diagnose/verify.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/model/reference.h"
#include "firn/model/reference/losses.h"

namespace firn::diagnose {

namespace {

using Extended = long double;
using Values = reference::Values<Extended>;
using Weights = reference::Weights<Extended>;

Extended loss_of(std::string_view name, const Values& scores, std::size_t label) {
  if (name == "bce") return reference::binary_cross_entropy(scores, label);
  if (name == "squared") return reference::squared_error(scores, label);
  return reference::cross_entropy(scores, label);
}

std::vector<Values> inputs_of(const SampleSet& samples, const RowLayout& layout) {
  Matrix<float> rows(layout.rows(), samples.count());
  samples.write_rows(0, samples.count(), rows);
  std::vector<Values> inputs(samples.count());
  for (std::size_t s = 0; s < samples.count(); ++s)
    for (std::size_t f = 0; f < layout.shape.size(); ++f) inputs[s].push_back(rows.row(layout.row_of_feature(f))[s]);
  return inputs;
}

// Layers [first, last) of a model with their weights.
struct Part {
  reference::Network network;
  Weights weights;

  Part(const Model& model, std::size_t first, std::size_t last, double temperature) {
    for (std::size_t l = first; l < last; ++l) {
      network.add(model.layer(l));
      for (const Neurons* group : model.layer(l).neurons()) {
        std::vector<Extended> rows;
        for (std::size_t i = 0; i < group->count(); ++i)
          for (Extended q : mixture_weights<Extended>(*group, i, temperature)) rows.push_back(q);
        weights.push_back(std::move(rows));
      }
    }
    if (last == model.layer_count()) network.set_head(model.head());
  }
};

// The model from one layer on, with the values that reach it.
class Judge {
 public:
  Judge(const Model& model, std::size_t layer, double temperature, std::string_view loss, const SampleSet& samples,
        const std::vector<Values>& inputs)
      : behind_(model, layer, model.layer_count(), temperature), loss_(loss), labels_(samples.labels) {
    const Part before(model, 0, layer, temperature);
    for (const Values& input : inputs) {
      values_.push_back(before.network.forward(before.weights, input).back());
      soft_.push_back(
          loss_of(loss_, behind_.network.forward(behind_.weights, values_.back()).back(), labels_[soft_.size()]));
    }
  }

  // Neuron i of the layer, replaced by a slot.
  double effect(std::size_t i, std::size_t slot) const {
    Weights weights = behind_.weights;
    for (std::size_t k = 0; k < kSlots; ++k) weights[0][i * kSlots + k] = k == slot ? 1 : 0;
    Extended sum = 0;
    for (std::size_t s = 0; s < values_.size(); ++s)
      sum += loss_of(loss_, behind_.network.forward(weights, values_[s]).back(), labels_[s]) - soft_[s];
    return static_cast<double>(sum / static_cast<Extended>(values_.size()));
  }

 private:
  Part behind_;
  std::string_view loss_;
  const std::vector<std::uint16_t>& labels_;
  std::vector<Values> values_;
  std::vector<Extended> soft_;
};

}  // namespace

bool CheckedEffect::is_resolved() const {
  return std::abs(expected) >= kResolved;
}

double CheckedEffect::error() const {
  return measured == expected ? 0 : std::abs(measured - expected) / std::abs(expected);
}

double worst_error(const std::vector<CheckedEffect>& checked) {
  double worst = 0;
  for (const CheckedEffect& c : checked)
    if (c.is_resolved()) worst = std::max(worst, c.error());
  return worst;
}

std::vector<std::size_t> neurons_to_check(const Mixtures& mixtures, std::size_t per_layer, std::uint64_t seed) {
  std::vector<std::size_t> chosen;
  for (const Mixtures::Group& group : mixtures.groups()) {
    if (!group.in_scope) continue;
    std::vector<std::size_t> relaxed;
    for (std::size_t n = group.first; n < group.first + group.count; ++n)
      if (!mixtures.is_frozen(n)) relaxed.push_back(n);
    std::stable_sort(relaxed.begin(), relaxed.end(),
                     [&](std::size_t a, std::size_t b) { return mixtures.entropy(a) < mixtures.entropy(b); });
    const std::size_t count = std::min(per_layer, relaxed.size()), saturated = (count + 1) / 2;
    chosen.insert(chosen.end(), relaxed.begin(), relaxed.begin() + static_cast<std::ptrdiff_t>(saturated));
    RandomSequence random(seed, "diagnose/check/" + group.name);
    const auto order = permutation(static_cast<std::uint32_t>(relaxed.size() - saturated), random);
    for (std::size_t i = 0; i < count - saturated; ++i) chosen.push_back(relaxed[saturated + order[i]]);
  }
  return chosen;
}

std::vector<CheckedEffect> verify_effects(const Model& model, const ConeNetwork& network, double temperature,
                                          const SampleSet& samples, const std::vector<std::size_t>& neurons,
                                          Threads& threads, const OnWork& on_work) {
  const Mixtures& mixtures = network.mixtures();
  const std::vector<Values> inputs = inputs_of(samples, network.input_layout());
  std::vector<NeuronSlots> list;
  for (std::size_t n : neurons) list.push_back({n, {static_cast<std::uint8_t>(mixtures.chosen(n))}});
  const auto measured = measure_effects(network, samples, list, {}, threads, [](auto, auto) {});
  std::vector<CheckedEffect> checked(neurons.size());
  std::size_t done = 0, first = 0;  // first: number of the layer's first neuron
  for (std::size_t l = 0; l < model.layer_count(); ++l) {
    const auto groups = model.layer(l).neurons();
    std::vector<std::size_t> own;  // entries of this layer
    for (std::size_t i = 0; i < neurons.size(); ++i)
      if (!groups.empty() && neurons[i] >= first && neurons[i] < first + groups[0]->count()) own.push_back(i);
    if (!own.empty()) {
      FIRN_CHECK(groups.size() == 1);  // convolutions
      const Judge judge(model, l, temperature, network.loss().name, samples, inputs);
      const auto together = static_cast<std::size_t>(threads.count());
      for (std::size_t begin = 0; begin < own.size(); begin += together) {
        const std::size_t count = std::min(together, own.size() - begin);
        threads.for_each(count, [&](std::size_t j, std::size_t) {
          const std::size_t i = own[begin + j], slot = list[i].slots[0];
          checked[i] = {neurons[i], slot, mixtures.entropy(neurons[i]), measured[i][0].effect,
                        judge.effect(neurons[i] - first, slot)};
        });
        on_work(done += count, neurons.size());
      }
    }
    for (const Neurons* group : groups) first += group->count();
  }
  return checked;
}

}  // namespace firn::diagnose
