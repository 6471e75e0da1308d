// A model as plain formulas: one sample at a time, on float, double or Jet2. The oracle of the fast layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "firn/model/model.h"
#include "firn/model/reference/layer.h"
#include "firn/model/reference/neuron.h"

namespace firn::model::reference {

// Mixture weights, or gradients in them, of a whole network: one [neurons][16] array per Neurons.
template <class T>
using Weights = std::vector<std::vector<T>>;

// The wiring of a model as it is when the network is made; logits and weights stay outside.
class Network {
 public:
  Network() = default;
  explicit Network(const Model& model);
  // Adds what a layer computes; a head, if there is one, comes after all layers.
  void add(const model::Layer& layer);
  void set_head(const Head& head) { head_ = head; }

  // Neurons of each group, in the order of Model::neurons().
  const std::vector<std::size_t>& neuron_counts() const { return neuron_counts_; }

  // values[0] is the input, values[i + 1] the output of stage i; the last one holds the class sums.
  template <class T>
  std::vector<Values<T>> forward(const Weights<T>& weights, Values<T> input) const;

  // From the gradient in the last values: adds the gradients in the weights to grad_weights and returns the gradient in
  // the input. `values` and `weights` are those of the forward pass.
  template <class T>
  Values<T> backward(const Weights<T>& weights, const std::vector<Values<T>>& values, Values<T> grad_last,
                     Weights<T>& grad_weights) const;

  // Zeros in the shape of the weights.
  template <class T>
  Weights<T> make_weights() const;

 private:
  static constexpr std::size_t kNoNeurons = ~std::size_t{0};
  struct Stage {
    LayerDescription wiring;
    std::vector<std::uint8_t> opcodes;
    std::size_t group = kNoNeurons;  // which weights it uses

    Layer formulas() const { return {wiring, opcodes}; }
  };

  std::vector<Stage> stages_;
  std::optional<Head> head_;
  std::vector<std::size_t> neuron_counts_;
};

template <class T>
std::vector<Values<T>> Network::forward(const Weights<T>& weights, Values<T> input) const {
  std::vector<Values<T>> values{std::move(input)};
  for (const Stage& stage : stages_) {
    const T* q = stage.group == kNoNeurons ? nullptr : weights[stage.group].data();
    values.push_back(stage.formulas().forward(q, values.back()));
  }
  if (head_) values.push_back(class_sums(*head_, values.back()));
  return values;
}

template <class T>
Values<T> Network::backward(const Weights<T>& weights, const std::vector<Values<T>>& values, Values<T> grad_last,
                            Weights<T>& grad_weights) const {
  Values<T> grad = std::move(grad_last);
  if (head_) grad = class_sums_backward(*head_, values[stages_.size()].size(), grad);
  for (std::size_t i = stages_.size(); i-- > 0;) {
    const std::size_t group = stages_[i].group;
    const T* q = group == kNoNeurons ? nullptr : weights[group].data();
    T* grad_q = group == kNoNeurons ? nullptr : grad_weights[group].data();
    Values<T> grad_in(values[i].size(), T(0));
    stages_[i].formulas().backward(q, values[i], grad, grad_in, grad_q);
    grad = std::move(grad_in);
  }
  return grad;
}

template <class T>
Weights<T> Network::make_weights() const {
  Weights<T> weights;
  for (std::size_t count : neuron_counts_) weights.emplace_back(count * kSlots, T(0));
  return weights;
}

}  // namespace firn::model::reference
