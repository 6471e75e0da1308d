#include "firn/encode/encodings/thermometer_distributive.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "firn/encode/byte_histogram.h"
#include "firn/encode/scope.h"

namespace firn::encode {
namespace {

// Where threshold i (counted from 1) is found among `count` sorted values.
std::size_t quantile_position(std::size_t count, std::size_t i, std::size_t thresholds) {
  return count * i / (thresholds + 1);
}

// No value exceeds the highest one, so a bit with that threshold would never be set, and a column that is mostly 1
// would be lost. Values that share thresholds with those of other features are rarely concentrated in one value, and
// theirs stay what they always were.
void keep_alive(float& threshold, float below, float highest) {
  if (threshold >= highest) threshold = below;
}

// The two highest values that occur; one twice where there is no other.
std::pair<float, float> highest_bytes(std::span<const std::uint64_t> histogram) {
  std::size_t highest = kByteValues - 1;
  while (histogram[highest] == 0) --highest;
  std::size_t below = highest;
  while (below > 0 && histogram[below - 1] == 0) --below;
  return {static_cast<float>(below == 0 ? highest : below - 1), static_cast<float>(highest)};
}

Matrix<float> byte_thresholds(const TrainingSplit& split, Scope scope, std::size_t thresholds) {
  const Matrix<std::uint64_t> histograms = count_groups(split, scope);
  const std::size_t count = split.indices.size() * group_size(scope, split.dataset.shape);
  Matrix<float> result(thresholds, histograms.rows());
  for (std::size_t g = 0; g < histograms.rows(); ++g) {
    std::size_t value = 0;
    std::uint64_t up_to_value = histograms[g][0];
    for (std::size_t i = 1; i <= thresholds; ++i) {
      const std::size_t position = quantile_position(count, i, thresholds);
      while (up_to_value <= position) up_to_value += histograms[g][++value];
      result[i - 1][g] = static_cast<float>(value);
    }
  }
  if (group_size(scope, split.dataset.shape) > 1) return result;
  for (std::size_t g = 0; g < histograms.rows(); ++g) {
    const auto [below, highest] = highest_bytes(histograms[g]);
    for (std::size_t t = 0; t < thresholds; ++t) keep_alive(result[t][g], below, highest);
  }
  return result;
}

Matrix<float> real_thresholds(const TrainingSplit& split, Scope scope, std::size_t thresholds) {
  const Shape& shape = split.dataset.shape;
  const std::size_t size = group_size(scope, shape);
  Matrix<float> result(thresholds, group_count(scope, shape));
  std::vector<float> sorted;
  for (std::size_t g = 0; g < result.cols(); ++g) {
    sorted.clear();
    for (std::uint32_t index : split.indices) {
      const float* values = split.dataset.train.reals.row(index) + g * size;
      sorted.insert(sorted.end(), values, values + size);
    }
    std::sort(sorted.begin(), sorted.end());
    const float highest = sorted.back();
    const auto first_highest = std::lower_bound(sorted.begin(), sorted.end(), highest);
    const float below = first_highest == sorted.begin() ? highest : *(first_highest - 1);
    for (std::size_t i = 1; i <= thresholds; ++i) {
      result[i - 1][g] = sorted[quantile_position(sorted.size(), i, thresholds)];
      if (size == 1) keep_alive(result[i - 1][g], below, highest);
    }
  }
  return result;
}

}  // namespace

Matrix<float> fit_thermometer_distributive(const TrainingSplit& split, const EncodeSettings& settings) {
  const Scope scope = parse_scope(settings.scope);
  return split.dataset.train.has_reals() ? real_thresholds(split, scope, settings.thresholds)
                                         : byte_thresholds(split, scope, settings.thresholds);
}

}  // namespace firn::encode
