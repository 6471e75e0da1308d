// `passthrough`: binary data as it is, one bit per value.
#pragma once

#include "firn/encode/encoding.h"

namespace firn::encode {

// The one threshold is 0. Both parts of the data must be binary (bytes 0 and 255, or 0 and 1; reals 0 and 1); anything
// else is an Error that names the first value found.
Matrix<float> fit_passthrough(const TrainingSplit& split, const EncodeSettings& settings);

}  // namespace firn::encode
