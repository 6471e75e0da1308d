// The quantities of a diagnosis by brute force: the whole reference network, run again for every question.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "firn/base/jet.h"
#include "firn/diagnose/cone_network.h"
#include "firn/diagnose/interventions.h"
#include "firn/diagnose/sample_set.h"
#include "firn/model/reference.h"
#include "firn/model/reference/losses.h"
#include "tests/support/random_models.h"

namespace firn {

using Extended = long double;  // the judge has more digits than the accused

inline SampleSet samples_of(const std::shared_ptr<RandomBatch>& batch) {
  SampleSet set;
  set.labels.assign(batch->labels().begin(), batch->labels().end());
  set.write_rows = [batch](std::size_t first, std::size_t count, Matrix<float>& rows) {
    batch->write_rows(first, count, 0, rows);
  };
  return set;
}

class BruteForce {
 public:
  BruteForce(const Model& model, const RandomBatch& batch, double temperature = 1, std::string loss = "cross-entropy")
      : network_(model),
        samples_(batch.samples()),
        labels_(batch.labels().begin(), batch.labels().end()),
        loss_(std::move(loss)) {
    for (const Neurons* group : model.neurons()) {
      std::vector<Extended> rows;
      for (std::size_t i = 0; i < group->count(); ++i)
        for (Extended q : mixture_weights<Extended>(*group, i, temperature)) rows.push_back(q);
      weights_.push_back(std::move(rows));
    }
  }

  // Mean loss with the weights of one neuron moved by t towards a slot: t = 1 replaces it. T is Extended or Jet2.
  template <class T>
  T risk(std::size_t group, std::size_t neuron, std::size_t slot, const T& t) const {
    reference::Weights<T> weights;
    for (const auto& rows : weights_) {
      weights.emplace_back();
      for (Extended q : rows) weights.back().push_back(number<T>(q));
    }
    for (std::size_t k = 0; k < kSlots; ++k) {
      const Extended q = weights_[group][neuron * kSlots + k];
      weights[group][neuron * kSlots + k] = number<T>(q) + t * number<T>((k == slot ? 1 : 0) - q);
    }
    T sum(0);
    for (std::size_t s = 0; s < samples_.size(); ++s) {
      const reference::Values<T> input(samples_[s].begin(), samples_[s].end());
      sum += number<T>(1 / static_cast<Extended>(samples_.size())) *
             loss_of(network_.forward(weights, input).back(), labels_[s]);
    }
    return sum;
  }
  Extended soft_risk() const { return risk<Extended>(0, 0, 0, 0); }

 private:
  template <class T>
  static T number(Extended x) {
    if constexpr (std::is_same_v<T, Jet2>)
      return static_cast<double>(x);
    else
      return x;
  }
  template <class T>
  T loss_of(const reference::Values<T>& scores, std::size_t label) const {
    if (loss_ == "bce") return reference::binary_cross_entropy(scores, label);
    return loss_ == "squared" ? reference::squared_error(scores, label) : reference::cross_entropy(scores, label);
  }

  reference::Network network_;
  std::vector<reference::Values<double>> samples_;
  std::vector<std::uint16_t> labels_;
  std::string loss_;
  reference::Weights<Extended> weights_;
};

}  // namespace firn
