#include "firn/train/loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/family.h"

namespace firn::training {

namespace {

void clear_padding(std::size_t samples, Matrix<float>* grad) {
  if (grad == nullptr) return;
  for (std::size_t c = 0; c < grad->rows(); ++c) std::fill(grad->row(c) + samples, grad->row(c) + grad->stride(), 0.f);
}

// Turns the loss and the gradient of the label into those of label and teacher. The loss of the teacher is measured
// from the entropy of its own answer, so that it is 0 where both agree.
void add_lesson(const Matrix<float>& sums, const Truths& truths, std::size_t sample, double weight, double& loss,
                Matrix<float>* grad) {
  const double counts = truths.weight(sample);
  const Lesson& lesson = truths.lesson;
  const std::size_t classes = sums.rows();
  const float* taught = lesson.probabilities.data() + sample * classes;
  const double share = lesson.weight, temperature = lesson.temperature;
  double top = sums.row(0)[sample], total = 0, distance = 0;
  for (std::size_t c = 1; c < classes; ++c) top = std::max<double>(top, sums.row(c)[sample]);
  for (std::size_t c = 0; c < classes; ++c) total += std::exp((sums.row(c)[sample] - top) / temperature);
  for (std::size_t c = 0; c < classes; ++c) {
    const double log_p = (sums.row(c)[sample] - top) / temperature - std::log(total);
    if (taught[c] > 0) distance += taught[c] * (std::log(taught[c]) - log_p);
    if (grad == nullptr) continue;
    float& slope = grad->row(c)[sample];
    slope =
        static_cast<float>((1 - share) * slope + share * counts * weight * temperature * (std::exp(log_p) - taught[c]));
  }
  loss = (1 - share) * loss + share * counts * temperature * temperature * distance;
}

}  // namespace

std::size_t predicted_class(const Matrix<float>& sums, std::size_t sample, float threshold) {
  if (sums.rows() == 1) return sums.row(0)[sample] > threshold;
  std::size_t best = 0;
  for (std::size_t c = 1; c < sums.rows(); ++c)
    if (sums.row(c)[sample] > sums.row(best)[sample]) best = c;
  return best;
}

LossSum cross_entropy(const Matrix<float>& sums, const Truths& truths, double weight, Matrix<float>* grad) {
  LossSum sum;
  const auto labels = truths.labels;
  const std::size_t classes = sums.rows();
  FIRN_CHECK(truths.lesson.probabilities.empty() || truths.lesson.classes == classes);
  for (std::size_t s = 0; s < labels.size(); ++s) {
    FIRN_DCHECK(labels[s] < classes);
    const std::size_t best = predicted_class(sums, s, 0);
    const double top = sums.row(best)[s];
    double total = 0;
    for (std::size_t c = 0; c < classes; ++c) total += std::exp(sums.row(c)[s] - top);
    const double counts = truths.weight(s);
    double loss = counts * (std::log(total) + top - sums.row(labels[s])[s]);
    sum.correct += best == labels[s];
    for (std::size_t c = 0; c < classes && grad != nullptr; ++c) {
      const double p = std::exp(sums.row(c)[s] - top) / total;
      grad->row(c)[s] = static_cast<float>(counts * weight * (p - (c == labels[s] ? 1 : 0)));
    }
    if (!truths.lesson.probabilities.empty()) add_lesson(sums, truths, s, weight, loss, grad);
    sum.loss += loss;
  }
  clear_padding(labels.size(), grad);
  return sum;
}

LossSum binary_cross_entropy(const Matrix<float>& sums, const Truths& truths, double weight, Matrix<float>* grad) {
  FIRN_CHECK(sums.rows() == 1);
  LossSum sum;
  const auto labels = truths.labels;
  for (std::size_t s = 0; s < labels.size(); ++s) {
    const double z = sums.row(0)[s], y = labels[s], counts = truths.weight(s);
    sum.loss += counts * (std::max(z, 0.0) - z * y + std::log1p(std::exp(-std::abs(z))));
    sum.correct += predicted_class(sums, s, 0) == labels[s];
    if (grad != nullptr) grad->row(0)[s] = static_cast<float>(counts * weight * (1 / (1 + std::exp(-z)) - y));
  }
  clear_padding(labels.size(), grad);
  return sum;
}

LossSum squared_error(const Matrix<float>& sums, const Truths& truths, double weight, Matrix<float>* grad) {
  LossSum sum;
  const auto labels = truths.labels;
  const std::size_t outputs = sums.rows();
  for (std::size_t s = 0; s < labels.size(); ++s) {
    const double counts = truths.weight(s);
    for (std::size_t c = 0; c < outputs; ++c) {
      const double target = outputs == 1 ? labels[s] : (c == labels[s] ? 1 : 0);
      const double error = sums.row(c)[s] - target;
      sum.loss += counts * error * error;
      if (grad != nullptr) grad->row(c)[s] = static_cast<float>(counts * weight * 2 * error);
    }
    sum.correct += predicted_class(sums, s, 0.5f) == labels[s];
  }
  clear_padding(labels.size(), grad);
  return sum;
}

namespace {

// Errors are measured in the unit of the scale; `loss_of` gives the loss of one error and its derivative.
template <class LossOf>
LossSum value_error(const Matrix<float>& sums, const Truths& truths, double weight, Matrix<float>* grad,
                    const LossOf& loss_of) {
  FIRN_CHECK(sums.rows() == 1 && truths.scale != nullptr);
  LossSum sum;
  const double unit = truths.scale->unit;
  for (std::size_t s = 0; s < truths.size(); ++s) {
    const auto [loss, slope] = loss_of((double{sums.row(0)[s]} - truths.targets[s]) / unit);
    sum.loss += loss;
    if (grad != nullptr) grad->row(0)[s] = static_cast<float>(weight * slope / unit);
  }
  clear_padding(truths.size(), grad);
  return sum;
}

}  // namespace

LossSum squared_value_error(const Matrix<float>& sums, const Truths& truths, double weight, Matrix<float>* grad) {
  return value_error(sums, truths, weight, grad, [](double error) { return std::pair(error * error, 2 * error); });
}

LossSum absolute_value_error(const Matrix<float>& sums, const Truths& truths, double weight, Matrix<float>* grad) {
  return value_error(sums, truths, weight, grad, [](double error) {
    return std::pair(std::abs(error), static_cast<double>((error > 0) - (error < 0)));
  });
}

Truths Truths::subspan(std::size_t first, std::size_t count) const {
  Truths part = *this;
  if (!labels.empty()) part.labels = labels.subspan(first, count);
  if (!targets.empty()) part.targets = targets.subspan(first, count);
  if (!lesson.probabilities.empty()) part.lesson = lesson.subspan(first, count);
  return part;
}

LossSum Loss::operator()(const Matrix<float>& sums, const Truths& truths, double weight, Matrix<float>* grad) const {
  Truths scaled = truths;
  scaled.scale = &scale;
  return function(sums, scaled, weight, grad);
}

std::span<const Loss> losses() {
  static const Loss kLosses[] = {
      {"cross-entropy", cross_entropy, 0, false},
      {"bce", binary_cross_entropy, 0, true},
      {"squared", squared_error, 0.5f, true},
  };
  return kLosses;
}

namespace {

// Losses of values: the threshold says nothing, and the head is fitted to the values.
std::span<const Loss> value_losses() {
  static const Loss kLosses[] = {
      {"squared", squared_value_error, 0, false},
      {"absolute", absolute_value_error, 0, false},
  };
  return kLosses;
}

}  // namespace

std::vector<std::string> loss_names() {
  std::vector<std::string> names = names_of(losses());
  for (const std::string& name : names_of(value_losses()))
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

const Loss& loss_from_name(std::string_view name) {
  if (name == "absolute")
    throw Error("the loss \"absolute\" is for values, but classes are predicted; set train.loss to another one");
  return entry_named(name, losses(), "loss");
}

Loss scaled_loss(std::string_view name, const LossScale& scale) {
  const auto of_values = value_losses();
  const auto found = std::ranges::find(of_values, name, &Loss::name);
  if (scale.predicts_values() && found == of_values.end())
    throw Error(fmt::format("the loss \"{}\" is for classes, but values are predicted; set train.loss to {}", name,
                            listed(names_of(of_values))));
  Loss loss = scale.predicts_values() ? *found : loss_from_name(name);
  loss.scale = scale;
  return loss;
}

}  // namespace firn::training
