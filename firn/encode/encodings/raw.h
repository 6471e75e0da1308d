// `raw`: values in [0,1] as they are while relaxed, rounded to bits when deployed.
#pragma once

#include "firn/encode/encoding.h"

namespace firn::encode {

// The one threshold rounds one half up. Reals outside of [0,1] are an Error. The only encoding whose relaxed inputs
// are not those of the circuit.
Matrix<float> fit_raw(const TrainingSplit& split, const EncodeSettings& settings);

}  // namespace firn::encode
