#include "firn/encode/encodings/thermometer_uniform.h"

#include <algorithm>
#include <cmath>

namespace firn::encode {
namespace {

// v/255 > i/(T+1) exactly when v is above the whole part of 255 i/(T+1).
Matrix<float> byte_thresholds(std::size_t thresholds) {
  Matrix<float> result(thresholds, 1);
  for (std::size_t i = 1; i <= thresholds; ++i) result[i - 1][0] = static_cast<float>(255 * i / (thresholds + 1));
  return result;
}

Matrix<float> real_thresholds(const TrainingSplit& split, std::size_t thresholds) {
  const MatrixView<float>& values = split.dataset.train.reals;
  Matrix<float> result(thresholds, values.cols());
  for (std::size_t f = 0; f < values.cols(); ++f) {
    float low = values.row(split.indices[0])[f], high = low;
    for (std::uint32_t index : split.indices) {
      low = std::min(low, values.row(index)[f]);
      high = std::max(high, values.row(index)[f]);
    }
    for (std::size_t i = 1; i <= thresholds; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(thresholds + 1);
      result[i - 1][f] = static_cast<float>(low + (static_cast<double>(high) - low) * part);
      // Rounded up to the maximum, a threshold would never be exceeded.
      if (result[i - 1][f] >= high && low < high) result[i - 1][f] = std::nextafter(high, low);
    }
  }
  return result;
}

}  // namespace

Matrix<float> fit_thermometer_uniform(const TrainingSplit& split, const EncodeSettings& settings) {
  return split.dataset.train.has_reals() ? real_thresholds(split, settings.thresholds)
                                         : byte_thresholds(settings.thresholds);
}

}  // namespace firn::encode
