// `uniform`: a thermometer whose T thresholds cut the range of the values into T + 1 equal parts.
#pragma once

#include "firn/encode/encoding.h"

namespace firn::encode {

// Bytes: bit i is v/255 > i/(T+1), whatever the data. Reals: the range is that between the minimum and the maximum of
// each feature in the training split, because columns of a table have different units; a feature that never changes
// encodes to zeros. `scope` plays no part.
Matrix<float> fit_thermometer_uniform(const TrainingSplit& split, const EncodeSettings& settings);

}  // namespace firn::encode
