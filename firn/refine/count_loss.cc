#include "firn/refine/count_loss.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "firn/base/error.h"
#include "firn/base/matrix.h"

namespace firn::refine {

namespace {

// Beyond this exponent the closed form of a change loses digits, and the loss is computed twice instead.
constexpr double kLargestExponent = 10;

double loss_of(const Loss& loss, const Matrix<float>& sums, std::uint16_t label) {
  return loss(sums, std::span<const std::uint16_t>(&label, 1), 1, nullptr).loss;
}

}  // namespace

CountLoss::CountLoss(const Loss& loss, const Head& head, std::size_t group_rows)
    : loss_(loss), head_(head), is_softmax_(loss.function == cross_entropy && head.groups > 1) {
  if (head.is_value)
    throw Error("flips of gates are judged by classes, but this network predicts values; only training can improve it");
  FIRN_CHECK(loss.function != cross_entropy || head.groups > 1);
  if (is_softmax_) {
    const double factor = std::abs(head.factor);
    const double largest = factor > 0 ? kLargestExponent / factor : static_cast<double>(group_rows);
    limit_ = static_cast<std::int32_t>(std::min(largest, static_cast<double>(group_rows)));
    for (std::int32_t k = -limit_; k <= limit_; ++k) growth_.push_back(std::expm1(double{head.factor} * k));
  } else if (head.groups == 1) {
    Matrix<float> sums(1, 1);
    for (std::uint16_t label = 0; label < 2; ++label)
      for (std::size_t count = 0; count <= group_rows; ++count) {
        sums.row(0)[0] = head.offset + head.factor * static_cast<float>(count);
        single_output_.push_back(loss_of(loss, sums, label));
      }
  }
}

double CountLoss::weight(std::uint16_t label) const {
  const std::vector<float>& weights = loss_.scale.class_weights;
  return weights.empty() ? 1 : weights[label];
}

double CountLoss::value(std::span<const std::int32_t> counts, std::uint16_t label) const {
  if (is_softmax_) {
    double total = 0;
    const std::int32_t top = *std::ranges::max_element(counts);
    for (std::int32_t count : counts) total += std::exp(double{head_.factor} * (count - top));
    return weight(label) * (std::log(total) + double{head_.factor} * (top - counts[label]));
  }
  if (head_.groups == 1)
    return single_output_[label * (single_output_.size() / 2) + static_cast<std::size_t>(counts[0])];
  Matrix<float> sums(head_.groups, 1);
  for (std::size_t c = 0; c < head_.groups; ++c)
    sums.row(c)[0] = head_.offset + head_.factor * static_cast<float>(counts[c]);
  return loss_of(loss_, sums, label);
}

std::uint16_t CountLoss::predicted(std::span<const std::int32_t> counts) const {
  if (head_.groups == 1) return head_.offset + head_.factor * static_cast<float>(counts[0]) > loss_.threshold;
  return static_cast<std::uint16_t>(std::ranges::max_element(counts) - counts.begin());
}

void CountLoss::prepare(std::span<const std::int32_t> counts, std::span<double> softmax) const {
  if (!is_softmax_) return;
  double total = 0;
  const std::int32_t top = *std::ranges::max_element(counts);
  for (std::size_t c = 0; c < counts.size(); ++c)
    total += softmax[c] = std::exp(double{head_.factor} * (counts[c] - top));
  for (double& p : softmax) p /= total;
}

double CountLoss::softmax_change(std::span<const double> softmax, std::uint16_t label,
                                 std::span<const std::int32_t> delta) const {
  double growth = 0;
  for (std::size_t c = 0; c < delta.size(); ++c)
    growth += softmax[c] * growth_[static_cast<std::size_t>(delta[c] + limit_)];
  return weight(label) * (std::log1p(growth) - double{head_.factor} * delta[label]);
}

double CountLoss::change(std::span<const std::int32_t> counts, std::span<const double> softmax, std::uint16_t label,
                         std::span<const std::int32_t> delta) const {
  const auto in_table = [this](std::int32_t k) { return k >= -limit_ && k <= limit_; };
  if (is_softmax_ && std::ranges::all_of(delta, in_table)) return softmax_change(softmax, label, delta);
  std::vector<std::int32_t> after(counts.begin(), counts.end());
  for (std::size_t c = 0; c < after.size(); ++c) after[c] += delta[c];
  return value(after, label) - value(counts, label);
}

}  // namespace firn::refine
