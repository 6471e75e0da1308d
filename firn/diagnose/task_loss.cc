#include "firn/diagnose/task_loss.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "firn/base/family.h"

namespace firn::diagnose {

namespace {

double largest(const ClassSumView& sums) {
  double top = sums[0];
  for (std::size_t c = 1; c < sums.outputs; ++c) top = std::max(top, sums[c]);
  return top;
}

double partition(const ClassSumView& sums, double top) {
  double total = 0;
  for (std::size_t c = 0; c < sums.outputs; ++c) total += std::exp(sums[c] - top);
  return total;
}

double cross_entropy_value(const ClassSumView& sums, std::size_t label) {
  const double top = largest(sums);
  return std::log(partition(sums, top)) + top - sums[label];
}

void cross_entropy_gradient(const ClassSumView& sums, std::size_t label, double* grad) {
  const double top = largest(sums), total = partition(sums, top);
  double others = 0;  // 1 - p of the label, without cancellation
  for (std::size_t c = 0; c < sums.outputs; ++c) {
    grad[c] = std::exp(sums[c] - top) / total;
    if (c != label) others += grad[c];
  }
  grad[label] = -others;
}

// log of the sum of p_c exp(change_c - change of the label), where the label itself contributes p: all that remains
// is small when the changes are.
double cross_entropy_difference(const ClassSumView& sums, std::size_t label, const ClassSumView& change) {
  const double top = largest(sums), total = partition(sums, top);
  double sum = 0;
  for (std::size_t c = 0; c < sums.outputs; ++c)
    if (c != label) sum += std::exp(sums[c] - top) / total * std::expm1(change[c] - change[label]);
  return std::log1p(sum);
}

Curve cross_entropy_curve(const ClassSumView& sums, std::size_t label, const ClassSumView& first,
                          const ClassSumView& second) {
  const double top = largest(sums), total = partition(sums, top);
  const auto p = [&](std::size_t c) { return std::exp(sums[c] - top) / total; };
  Curve curve{0, 0};
  for (std::size_t c = 0; c < sums.outputs; ++c) {
    curve.first += p(c) * (first[c] - first[label]);
    curve.second += p(c) * (second[c] - second[label]);
  }
  for (std::size_t c = 0; c < sums.outputs; ++c) {
    const double spread = first[c] - first[label] - curve.first;
    curve.second += p(c) * spread * spread;
  }
  return curve;
}

// One score, turned so that growing is right.
double towards_label(double score, std::size_t label) {
  return label == 1 ? score : -score;
}

double sigmoid(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

double bce_value(const ClassSumView& sums, std::size_t label) {
  const double z = towards_label(sums[0], label);
  return std::max(-z, 0.0) + std::log1p(std::exp(-std::abs(z)));
}

void bce_gradient(const ClassSumView& sums, std::size_t label, double* grad) {
  grad[0] = -towards_label(sigmoid(-towards_label(sums[0], label)), label);
}

double bce_difference(const ClassSumView& sums, std::size_t label, const ClassSumView& change) {
  const double z = towards_label(sums[0], label), dz = towards_label(change[0], label);
  return std::log1p(sigmoid(-z) * std::expm1(-dz));
}

Curve bce_curve(const ClassSumView& sums, std::size_t label, const ClassSumView& first, const ClassSumView& second) {
  const double wrong = sigmoid(-towards_label(sums[0], label)), right = sigmoid(towards_label(sums[0], label));
  return {-wrong * towards_label(first[0], label),
          -wrong * towards_label(second[0], label) + wrong * right * first[0] * first[0]};
}

double squared_target(const ClassSumView& sums, std::size_t label, std::size_t c) {
  return sums.outputs == 1 ? static_cast<double>(label) : c == label ? 1 : 0;
}

double squared_value(const ClassSumView& sums, std::size_t label) {
  double sum = 0;
  for (std::size_t c = 0; c < sums.outputs; ++c) {
    const double error = sums[c] - squared_target(sums, label, c);
    sum += error * error;
  }
  return sum;
}

void squared_gradient(const ClassSumView& sums, std::size_t label, double* grad) {
  for (std::size_t c = 0; c < sums.outputs; ++c) grad[c] = 2 * (sums[c] - squared_target(sums, label, c));
}

double squared_difference(const ClassSumView& sums, std::size_t label, const ClassSumView& change) {
  double sum = 0;
  for (std::size_t c = 0; c < sums.outputs; ++c)
    sum += change[c] * (2 * (sums[c] - squared_target(sums, label, c)) + change[c]);
  return sum;
}

Curve squared_curve(const ClassSumView& sums, std::size_t label, const ClassSumView& first,
                    const ClassSumView& second) {
  Curve curve{0, 0};
  for (std::size_t c = 0; c < sums.outputs; ++c) {
    const double error = sums[c] - squared_target(sums, label, c);
    curve.first += 2 * error * first[c];
    curve.second += 2 * (error * second[c] + first[c] * first[c]);
  }
  return curve;
}

}  // namespace

const TaskLoss& task_loss_from_name(std::string_view name) {
  static constexpr std::array kLosses = {
      TaskLoss{"cross-entropy", cross_entropy_value, cross_entropy_gradient, cross_entropy_difference,
               cross_entropy_curve},
      TaskLoss{"bce", bce_value, bce_gradient, bce_difference, bce_curve},
      TaskLoss{"squared", squared_value, squared_gradient, squared_difference, squared_curve},
  };
  return entry_named(name, kLosses, "loss");
}

}  // namespace firn::diagnose
