// Training in double precision, sample by sample: the independent judge of training runs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "firn/model/reference.h"
#include "firn/model/reference/losses.h"
#include "firn/train/optimizer.h"

namespace firn::model::reference {

struct Loss {
  double (*value)(const Values<double>& scores, std::size_t label);
  Values<double> (*gradient)(const Values<double>& scores, std::size_t label);
};
inline constexpr Loss kCrossEntropy{cross_entropy<double>, cross_entropy_gradient<double>};
inline constexpr Loss kBinaryCrossEntropy{binary_cross_entropy<double>, binary_cross_entropy_gradient<double>};
inline constexpr Loss kSquaredError{squared_error<double>, squared_error_gradient<double>};

// Starts from the model's logits and keeps its own from then on. Wiring is taken over once; frozen slots are read from
// the model in every step, because freezing is decided outside.
class Training {
 public:
  Training(const Model& model, const Loss& loss, const OptimizerSettings& settings)
      : model_(model), network_(model), loss_(loss), settings_(settings) {
    for (const Neurons* group : model.neurons())
      logits_.emplace_back(group->logits.data(), group->logits.data() + group->count() * kSlots);
    first_moment_ = second_moment_ = network_.make_weights<double>();
  }

  // Mean loss of the batch under the current logits; leaves the scores and gradients of all logits.
  double evaluate(const std::vector<Values<double>>& samples, std::span<const std::uint16_t> labels,
                  const WeightPlan& plan = {}) {
    const Weights<double> forward_weights = weights(plan, /*backward=*/false), q = weights(plan, /*backward=*/true);
    Weights<double> slopes = network_.make_weights<double>();  // dL/dq
    double sum = 0;
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const auto values = network_.forward(forward_weights, samples[s]);
      sum += loss_.value(values.back(), labels[s]);
      Values<double> grad = loss_.gradient(values.back(), labels[s]);
      for (double& g : grad) g /= static_cast<double>(samples.size());
      network_.backward(forward_weights, values, grad, slopes);
    }
    scores_ = gradients_ = slopes;
    for (std::size_t g = 0; g < slopes.size(); ++g)
      for (std::size_t first = 0; first < slopes[g].size(); first += kSlots) {
        double mean = 0;
        for (std::size_t i = first; i < first + kSlots; ++i) mean += q[g][i] * slopes[g][i];
        for (std::size_t i = first; i < first + kSlots; ++i) {
          scores_[g][i] -= mean;
          gradients_[g][i] = is_frozen(g, i / kSlots) ? 0 : q[g][i] * scores_[g][i] / plan.backward_temperature;
        }
      }
    return sum / static_cast<double>(samples.size());
  }

  // One step of Adam(W) with clipping; returns the mean loss before it.
  double step(const std::vector<Values<double>>& samples, std::span<const std::uint16_t> labels,
              const WeightPlan& plan = {}) {
    const double loss = evaluate(samples, labels, plan);
    double squares = 0;
    for (const auto& group : gradients_)
      for (double g : group) squares += g * g;
    const double scale = settings_.clip > 0 ? std::min(1.0, settings_.clip / (std::sqrt(squares) + 1e-6)) : 1;
    ++updates_;
    for (std::size_t g = 0; g < logits_.size(); ++g)
      for (std::size_t i = 0; i < logits_[g].size(); ++i)
        if (!is_frozen(g, i / kSlots)) update(g, i, scale * gradients_[g][i]);
    return loss;
  }

  Weights<double>& logits() { return logits_; }
  const Weights<double>& scores() const { return scores_; }        // of the last evaluation, [neurons][16]
  const Weights<double>& gradients() const { return gradients_; }  // in the logits, zero where frozen

 private:
  bool is_frozen(std::size_t group, std::size_t neuron) const {
    return model_.neurons()[group]->frozen[neuron] != kNotFrozen;
  }

  void update(std::size_t g, std::size_t i, double gradient) {
    double &m = first_moment_[g][i], &v = second_moment_[g][i];
    m = settings_.beta1 * m + (1 - settings_.beta1) * gradient;
    v = settings_.beta2 * v + (1 - settings_.beta2) * gradient * gradient;
    const double m_hat = m / (1 - std::pow(settings_.beta1, updates_)),
                 v_hat = v / (1 - std::pow(settings_.beta2, updates_));
    logits_[g][i] *= 1 - settings_.learning_rate * settings_.weight_decay;
    logits_[g][i] -= settings_.learning_rate * m_hat / (std::sqrt(v_hat) + settings_.epsilon);
  }

  Weights<double> weights(const WeightPlan& plan, bool backward) const {
    Weights<double> all = logits_;
    const double temperature = backward ? plan.backward_temperature : plan.forward_temperature;
    for (std::size_t g = 0; g < all.size(); ++g)
      for (std::size_t n = 0; n < all[g].size() / kSlots; ++n) {
        const std::span<double> row(&all[g][n * kSlots], kSlots);
        if (plan.noise != nullptr)
          for (std::size_t k = 0; k < kSlots; ++k) row[k] += (*plan.noise)[n][k];
        const auto winner = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
        if (is_frozen(g, n))
          set_one_hot(row, static_cast<std::size_t>(model_.neurons()[g]->frozen[n]));
        else if (plan.hard && !backward)
          set_one_hot(row, winner);
        else
          set_softmax(row, temperature);
      }
    return all;
  }

  static void set_one_hot(std::span<double> row, std::size_t slot) {
    std::ranges::fill(row, 0.0);
    row[slot] = 1;
  }

  static void set_softmax(std::span<double> row, double temperature) {
    const double top = *std::ranges::max_element(row);
    double total = 0;
    for (double& v : row) total += v = std::exp((v - top) / temperature);
    for (double& v : row) v /= total;
  }

  const Model& model_;
  Network network_;
  Loss loss_;
  OptimizerSettings settings_;
  Weights<double> logits_, first_moment_, second_moment_, scores_, gradients_;
  int updates_ = 0;
};

}  // namespace firn::model::reference
