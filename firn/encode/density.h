// How often each encoded bit is set: the first look at whether an encoding suits the data.
#pragma once

#include <cstdint>
#include <span>

#include "firn/base/matrix.h"
#include "firn/data/dataset.h"
#include "firn/encode/encoder.h"

namespace firn::encode {

// The fraction of the listed examples in which bit t of feature f is set; at least one example must be listed.
Matrix<double> bit_densities(const Encoder& encoder, const Examples& examples,
                             std::span<const std::uint32_t> indices);  // [thresholds][features]

}  // namespace firn::encode
