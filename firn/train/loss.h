// Losses on rows of class sums, with their gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "firn/base/matrix.h"

namespace firn::training {

// Sums over samples, in double; divide by the number of samples for the risk.
struct LossSum {
  double loss = 0;
  std::size_t correct = 0;

  LossSum& operator+=(const LossSum& other) {
    loss += other.loss;
    correct += other.correct;
    return *this;
  }
};

// Adds up the loss of samples [0, labels.size()) and, unless grad is null, writes its gradient times `weight` for them
// and zero for the padding behind them.
using LossFunction = LossSum (*)(const Matrix<float>& sums,              // [outputs][samples]
                                 std::span<const std::uint16_t> labels,  // [samples that count]
                                 double weight, Matrix<float>* grad);    // [outputs][samples]

// Softmax over the outputs; the prediction is the largest sum, the lowest class on ties.
LossSum cross_entropy(const Matrix<float>& sums, std::span<const std::uint16_t> labels, double weight,
                      Matrix<float>* grad);
// One output: sigmoid of the sum is the probability of label 1.
LossSum binary_cross_entropy(const Matrix<float>& sums, std::span<const std::uint16_t> labels, double weight,
                             Matrix<float>* grad);
// Squared distance of the sums to the label (one output) or to its one-hot row (several).
LossSum squared_error(const Matrix<float>& sums, std::span<const std::uint16_t> labels, double weight,
                      Matrix<float>* grad);

// What the sums of a sample say: the largest one, the lowest class on ties; with a single output, label 1 above
// `threshold`.
std::size_t predicted_class(const Matrix<float>& sums, std::size_t sample, float threshold);

struct Loss {
  std::string_view name;
  LossFunction function;
  float threshold;  // of a single output: between the labels for squared, between negative and positive for bce
};
std::span<const Loss> losses();  // "cross-entropy", "bce", "squared"
const Loss& loss_from_name(std::string_view name);

}  // namespace firn::training
