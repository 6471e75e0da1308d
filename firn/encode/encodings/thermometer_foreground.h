// `foreground`: a thermometer for data most of whose values are one and the same lowest value, such as images on a
// black background.
#pragma once

#include "firn/encode/encoding.h"

namespace firn::encode {

// The first threshold is the lowest value, so that its bit separates background from foreground. The others are
// quantiles of the N values above it: threshold i of 1..T-1 is element floor(N i/T) in ascending order, counted from 0.
// Quantiles of all values would repeat the lowest one as often as it is common. All values share the thresholds.
Matrix<float> fit_thermometer_foreground(const TrainingSplit& split, const EncodeSettings& settings);

}  // namespace firn::encode
