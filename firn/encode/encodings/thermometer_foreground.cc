#include "firn/encode/encodings/thermometer_foreground.h"

#include <algorithm>
#include <vector>

#include "firn/encode/byte_histogram.h"

namespace firn::encode {
namespace {

// A value and how often it occurs.
struct Occurrences {
  float value;
  std::uint64_t count;
};

std::vector<Occurrences> occurring_bytes(const TrainingSplit& split) {
  const Matrix<std::uint64_t> histogram = count_groups(split, Scope::kGlobal);
  std::vector<Occurrences> values;
  for (std::size_t v = 0; v < kByteValues; ++v)
    if (histogram[0][v] > 0) values.push_back({static_cast<float>(v), histogram[0][v]});
  return values;
}

std::vector<Occurrences> occurring_reals(const TrainingSplit& split) {
  std::vector<float> sorted;
  const MatrixView<float>& reals = split.dataset.train.reals;
  for (std::uint32_t index : split.indices)
    sorted.insert(sorted.end(), reals.row(index), reals.row(index) + reals.cols());
  std::sort(sorted.begin(), sorted.end());
  std::vector<Occurrences> values;
  for (float value : sorted) {
    if (values.empty() || values.back().value != value) values.push_back({value, 0});
    ++values.back().count;
  }
  return values;
}

}  // namespace

Matrix<float> fit_thermometer_foreground(const TrainingSplit& split, const EncodeSettings& settings) {
  const std::vector<Occurrences> values =
      split.dataset.train.has_reals() ? occurring_reals(split) : occurring_bytes(split);
  std::uint64_t above = 0;
  for (std::size_t v = 1; v < values.size(); ++v) above += values[v].count;
  Matrix<float> result(settings.thresholds, 1);
  for (std::size_t t = 0; t < settings.thresholds; ++t) result[t][0] = values.front().value;
  if (above == 0) return result;
  std::size_t v = 1;
  std::uint64_t up_to_value = values[1].count;
  for (std::size_t i = 1; i < settings.thresholds; ++i) {
    while (up_to_value <= above * i / settings.thresholds) up_to_value += values[++v].count;
    result[i][0] = values[v].value;
  }
  return result;
}

}  // namespace firn::encode
