// The gradient of the loss in all logits of a model, as one backward pass leaves it.
//
// It is never stored. A backward pass ends with the weights q of each neuron and its scores S, and the gradient of
// logit k is q_k S_k / temperature: two arrays that other parts need anyway. Kernels multiply while they read, which
// saves an array of the size of the logits and a pass over it in every step. Whoever has no kernel of its own asks for
// the product with write_gradient().
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/threads.h"
#include "firn/kernels/update.h"
#include "firn/model/model.h"

namespace firn::training {

class LogitGradients {
 public:
  explicit LogitGradients(const Model& model);  // which outlives this

  // The gradients of a step: its scores ([neurons][16] per Neurons, which must stay where they are) and the temperature
  // of the backward pass, one per Neurons. The weights are those that the model holds.
  void assign(const std::vector<Matrix<float>>& scores, std::span<const float> temperatures);

  // Euclidean norm over all logits of neurons that are not frozen, before any clipping.
  double norm(Threads& threads);

  // Scales everything by min(1, largest / (norm + 1e-6)).
  void clip(double largest, Threads& threads);

  // Rows of a group from row `first` on.
  GradientRows rows(std::size_t group, std::size_t first) const;

 private:
  const Model& model_;
  const std::vector<Matrix<float>>* scores_ = nullptr;
  std::span<const float> temperatures_;
  double scale_ = 1;
  std::vector<double> partial_;  // of the norm, one per block
};

}  // namespace firn::training
