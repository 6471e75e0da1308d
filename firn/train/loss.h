// Losses on rows of class sums, with their gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/data/dataset.h"

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

// What a loss takes from the training set.
struct LossScale {
  std::vector<float> class_weights = {};  // what an example of each class counts; empty: 1
  float unit = 0;                         // standard deviation of the values to predict; 0: classes are predicted

  bool predicts_values() const { return unit > 0; }
};

// What a teacher thinks of samples, and how much that counts; see teacher.h.
struct Lesson {
  std::span<const float> probabilities = {};  // [sample][class], at the temperature; empty: no teacher
  std::size_t classes = 0;
  float weight = 0, temperature = 1;

  Lesson subspan(std::size_t first, std::size_t count) const {
    return {probabilities.subspan(first * classes, count * classes), classes, weight, temperature};
  }
};

// What is right for the samples that count: their classes, or the values that they should have.
struct Truths {
  std::span<const std::uint16_t> labels = {};
  std::span<const float> targets = {};
  const LossScale* scale = nullptr;  // null: every example counts 1
  Lesson lesson = {};                // of cross-entropy only

  Truths() = default;
  Truths(std::span<const std::uint16_t> classes) : labels(classes) {}
  Truths(const std::vector<std::uint16_t>& classes) : labels(classes) {}
  Truths(const data::Examples& examples) : labels(examples.labels), targets(examples.targets) {}

  std::size_t size() const { return targets.empty() ? labels.size() : targets.size(); }
  Truths subspan(std::size_t first, std::size_t count) const;
  double weight(std::size_t sample) const {
    return scale == nullptr || scale->class_weights.empty() ? 1 : scale->class_weights[labels[sample]];
  }
};

// Adds up the loss of samples [0, truths.size()) and, unless grad is null, writes its gradient times `weight` for them
// and zero for the padding behind them.
using LossFunction = LossSum (*)(const Matrix<float>& sums,  // [outputs][samples]
                                 const Truths& truths, double weight,
                                 Matrix<float>* grad);  // [outputs][samples]

// Softmax over the outputs; the prediction is the largest sum, the lowest class on ties. With a lesson, its weight w is
// the share of the cross-entropy to the teacher at temperature T, times T^2, so that gradients keep their size; the
// label has 1 - w.
LossSum cross_entropy(const Matrix<float>& sums, const Truths& truths, double weight, Matrix<float>* grad);
// One output: sigmoid of the sum is the probability of label 1.
LossSum binary_cross_entropy(const Matrix<float>& sums, const Truths& truths, double weight, Matrix<float>* grad);
// Squared distance of the sums to the label (one output) or to its one-hot row (several).
LossSum squared_error(const Matrix<float>& sums, const Truths& truths, double weight, Matrix<float>* grad);
// One output that is the value itself. Errors are measured in the unit of the scale, so that a loss of 1 is about what
// the mean of the training set gives, whatever the values are measured in.
LossSum squared_value_error(const Matrix<float>& sums, const Truths& truths, double weight, Matrix<float>* grad);
LossSum absolute_value_error(const Matrix<float>& sums, const Truths& truths, double weight, Matrix<float>* grad);

// What the sums of a sample say: the largest one, the lowest class on ties; with a single output, label 1 above
// `threshold`.
std::size_t predicted_class(const Matrix<float>& sums, std::size_t sample, float threshold);

struct Loss {
  std::string_view name;
  LossFunction function;
  float threshold;  // of a single output: between the labels for squared, between negative and positive for bce
  // The middle of what a class sum can be is put on the threshold. Sums of counts alone are never negative, so that a
  // sigmoid of them would call everything class 1. A softmax compares sums with each other and needs no such thing.
  bool is_centred;
  LossScale scale = {};

  LossSum operator()(const Matrix<float>& sums, const Truths& truths, double weight, Matrix<float>* grad) const;
};
std::span<const Loss> losses();         // "cross-entropy", "bce", "squared" of classes
std::vector<std::string> loss_names();  // these, and "absolute", which is for values only
// Of classes, every example counting 1.
const Loss& loss_from_name(std::string_view name);
// As the training set scales it: of values where the scale says so.
Loss scaled_loss(std::string_view name, const LossScale& scale);

}  // namespace firn::training
