// The mixture weights of a model's neurons in double, numbered consecutively across all layers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "firn/diagnose/lanes.h"
#include "firn/kernels/mixture.h"
#include "firn/logic/gate.h"
#include "firn/model/model.h"

namespace firn::diagnose {

using Weights16 = std::array<double, kSlots>;

// softmax(logits / temperature), or one-hot for a frozen neuron. T = double, or long double where a judge needs more.
template <class T>
std::array<T, kSlots> mixture_weights(const Neurons& neurons, std::size_t i, double temperature);

class Mixtures {
 public:
  // Neurons of one layer: numbers [first, first + count).
  struct Group {
    std::string name;
    std::size_t first, count;
    bool in_scope;  // of a diagnosis: convolutions, or every layer where there are none

    bool contains(std::size_t neuron) const { return neuron >= first && neuron < first + count; }
  };

  Mixtures(const Model& model, double temperature);

  const std::vector<Group>& groups() const { return groups_; }
  std::size_t count() const { return weights_.size(); }
  const Group& group_of(std::size_t neuron) const;

  const Weights16& weights(std::size_t neuron) const { return weights_[neuron]; }
  Gate gate(std::size_t neuron, std::size_t slot) const { return static_cast<Gate>(opcodes_[neuron * kSlots + slot]); }
  bool is_frozen(std::size_t neuron) const { return is_frozen_[neuron] != 0; }
  // The slot the discrete network has: frozen, or the largest logit.
  std::size_t chosen(std::size_t neuron) const { return chosen_[neuron]; }
  double entropy(std::size_t neuron) const;  // divided by ln 16

  // The neuron's terms where all slots read one pair.
  const Terms& mixed(std::size_t neuron) const { return mixed_[neuron]; }
  // Terms of slot k minus those of the mixture, without cancellation when the weight of k is almost one.
  Terms towards(std::size_t neuron, std::size_t k) const;

 private:
  std::vector<Group> groups_;
  std::vector<Weights16> weights_;
  std::vector<Terms> mixed_;
  std::vector<std::uint8_t> opcodes_;  // [neurons][16]
  std::vector<std::uint8_t> chosen_, is_frozen_;
};

// Terms of a gate in double.
Terms gate_terms(Gate gate);

}  // namespace firn::diagnose
