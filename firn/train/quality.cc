#include "firn/train/quality.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "firn/base/error.h"

namespace firn::training {

namespace {

double ratio(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}

std::size_t side_of(std::size_t cells) {
  const auto side = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(cells))));
  FIRN_CHECK(side * side == cells);
  return side;
}

// Of a class against all others. It ranks samples as the class probability does, and does not round to 1 where that
// would. Differences of counts are exact, so that equal odds are ties.
float log_odds(std::span<const float> sums, double factor, std::size_t c) {
  double largest = -INFINITY, others = 0;
  for (std::size_t other = 0; other < sums.size(); ++other)
    if (other != c) largest = std::max(largest, factor * (sums[other] - sums[c]));
  for (std::size_t other = 0; other < sums.size(); ++other)
    if (other != c) others += std::exp(factor * (sums[other] - sums[c]) - largest);
  return static_cast<float>(-largest - std::log(others));
}

}  // namespace

Quality quality_of(std::span<const std::uint32_t> confusion) {
  const std::size_t classes = side_of(confusion.size());
  Quality quality;
  std::size_t occurring = 0, seen = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    double predicted = 0, actual = 0;
    for (std::size_t other = 0; other < classes; ++other) {
      actual += confusion[c * classes + other];
      predicted += confusion[other * classes + c];
    }
    const double correct = confusion[c * classes + c];
    quality.classes.push_back({static_cast<std::size_t>(actual), ratio(correct, predicted), ratio(correct, actual),
                               ratio(2 * correct, predicted + actual)});
    occurring += actual > 0;
    seen += actual + predicted > 0;
    quality.balanced_accuracy += quality.classes.back().recall;
    quality.macro_f1 += quality.classes.back().f1;
  }
  quality.balanced_accuracy = ratio(quality.balanced_accuracy, static_cast<double>(occurring));
  quality.macro_f1 = ratio(quality.macro_f1, static_cast<double>(seen));
  return quality;
}

// By ranks: the positives' ranks among all samples, where equal scores share their mean rank, say in how many pairs the
// positive one is ahead. Twice the ranks are integers, so that the sum is exact.
std::optional<double> area_under_curve(std::span<const float> scores, const std::vector<bool>& is_positive) {
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return scores[i]; });
  std::uint64_t doubled_ranks = 0, positives = 0;
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    std::uint64_t among = 0;
    for (last = first; last < order.size() && scores[order[last]] == scores[order[first]]; ++last)
      among += is_positive[order[last]];
    doubled_ranks += among * (first + 1 + last);
    positives += among;
  }
  const std::uint64_t negatives = scores.size() - positives;
  if (positives == 0 || negatives == 0) return std::nullopt;
  const std::uint64_t doubled_wins = doubled_ranks - positives * (positives + 1);
  return static_cast<double>(doubled_wins) / 2 / static_cast<double>(positives) / static_cast<double>(negatives);
}

std::optional<double> area_under_curve(std::span<const float> sums, std::size_t outputs,
                                       std::span<const std::uint16_t> labels, double factor) {
  std::vector<float> scores(labels.size());
  std::vector<bool> is_positive(labels.size());
  const auto area_of = [&](std::size_t c, const auto& score) {
    for (std::size_t s = 0; s < labels.size(); ++s) {
      scores[s] = score(&sums[s * outputs]);
      is_positive[s] = labels[s] == c;
    }
    return area_under_curve(scores, is_positive);
  };
  if (outputs == 1) return area_of(1, [](const float* sum) { return sum[0]; });
  if (outputs == 2) return area_of(1, [](const float* sum) { return sum[1] - sum[0]; });
  double total = 0;
  std::size_t counted = 0;
  for (std::size_t c = 0; c < outputs; ++c)
    if (const auto area = area_of(c, [&](const float* sum) { return log_odds({sum, outputs}, factor, c); })) {
      total += *area;
      ++counted;
    }
  if (counted == 0) return std::nullopt;
  return total / static_cast<double>(counted);
}

ValueQuality value_quality_of(std::span<const float> predicted, std::span<const float> truth) {
  FIRN_CHECK(predicted.size() == truth.size() && !truth.empty());
  const auto count = static_cast<double>(truth.size());
  double mean = 0, spread = 0, squares = 0, distances = 0;
  for (const float value : truth) mean += value / count;
  for (std::size_t s = 0; s < truth.size(); ++s) {
    const double error = double{predicted[s]} - truth[s];
    spread += (truth[s] - mean) * (truth[s] - mean);
    squares += error * error;
    distances += std::abs(error);
  }
  return {spread == 0 ? 0 : 1 - squares / spread, std::sqrt(squares / count), distances / count};
}

}  // namespace firn::training
