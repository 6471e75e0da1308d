#include "firn/train/loss.h"

#include <algorithm>
#include <cmath>

#include "firn/base/error.h"
#include "firn/base/family.h"

namespace firn::training {

namespace {

void clear_padding(std::size_t samples, Matrix<float>* grad) {
  if (grad == nullptr) return;
  for (std::size_t c = 0; c < grad->rows(); ++c) std::fill(grad->row(c) + samples, grad->row(c) + grad->stride(), 0.f);
}

}  // namespace

std::size_t predicted_class(const Matrix<float>& sums, std::size_t sample, float threshold) {
  if (sums.rows() == 1) return sums.row(0)[sample] > threshold;
  std::size_t best = 0;
  for (std::size_t c = 1; c < sums.rows(); ++c)
    if (sums.row(c)[sample] > sums.row(best)[sample]) best = c;
  return best;
}

LossSum cross_entropy(const Matrix<float>& sums, std::span<const std::uint16_t> labels, double weight,
                      Matrix<float>* grad) {
  LossSum sum;
  const std::size_t classes = sums.rows();
  for (std::size_t s = 0; s < labels.size(); ++s) {
    FIRN_DCHECK(labels[s] < classes);
    const std::size_t best = predicted_class(sums, s, 0);
    const double top = sums.row(best)[s];
    double total = 0;
    for (std::size_t c = 0; c < classes; ++c) total += std::exp(sums.row(c)[s] - top);
    sum.loss += std::log(total) + top - sums.row(labels[s])[s];
    sum.correct += best == labels[s];
    if (grad == nullptr) continue;
    for (std::size_t c = 0; c < classes; ++c) {
      const double p = std::exp(sums.row(c)[s] - top) / total;
      grad->row(c)[s] = static_cast<float>(weight * (p - (c == labels[s] ? 1 : 0)));
    }
  }
  clear_padding(labels.size(), grad);
  return sum;
}

LossSum binary_cross_entropy(const Matrix<float>& sums, std::span<const std::uint16_t> labels, double weight,
                             Matrix<float>* grad) {
  FIRN_CHECK(sums.rows() == 1);
  LossSum sum;
  for (std::size_t s = 0; s < labels.size(); ++s) {
    const double z = sums.row(0)[s], y = labels[s];
    sum.loss += std::max(z, 0.0) - z * y + std::log1p(std::exp(-std::abs(z)));
    sum.correct += predicted_class(sums, s, 0) == labels[s];
    if (grad != nullptr) grad->row(0)[s] = static_cast<float>(weight * (1 / (1 + std::exp(-z)) - y));
  }
  clear_padding(labels.size(), grad);
  return sum;
}

LossSum squared_error(const Matrix<float>& sums, std::span<const std::uint16_t> labels, double weight,
                      Matrix<float>* grad) {
  LossSum sum;
  const std::size_t outputs = sums.rows();
  for (std::size_t s = 0; s < labels.size(); ++s) {
    for (std::size_t c = 0; c < outputs; ++c) {
      const double target = outputs == 1 ? labels[s] : (c == labels[s] ? 1 : 0);
      const double error = sums.row(c)[s] - target;
      sum.loss += error * error;
      if (grad != nullptr) grad->row(c)[s] = static_cast<float>(weight * 2 * error);
    }
    sum.correct += predicted_class(sums, s, 0.5f) == labels[s];
  }
  clear_padding(labels.size(), grad);
  return sum;
}

std::span<const Loss> losses() {
  static constexpr Loss kLosses[] = {
      {"cross-entropy", cross_entropy, 0}, {"bce", binary_cross_entropy, 0}, {"squared", squared_error, 0.5f}};
  return kLosses;
}

const Loss& loss_from_name(std::string_view name) {
  return entry_named(name, losses(), "loss");
}

}  // namespace firn::training
