// `distributive`: a thermometer whose thresholds are quantiles, so that every bit carries information.
#pragma once

#include "firn/encode/encoding.h"

namespace firn::encode {

// Threshold i of T is element floor(N i/(T+1)) of the N values that share thresholds, in ascending order, counted from
// 0 and without interpolation. `scope` says which values these are: all, those of a channel, or those of a feature. Of
// a feature, the largest value is no threshold, because no value exceeds it; the next smaller one is instead.
Matrix<float> fit_thermometer_distributive(const TrainingSplit& split, const EncodeSettings& settings);

}  // namespace firn::encode
