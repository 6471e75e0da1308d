// Thresholds of bytes that are cheap as gates: a comparison that looks at the leading bits of the byte only.
#pragma once

#include <cstddef>

#include "firn/base/matrix.h"

namespace firn::encode {

inline constexpr std::size_t kByteBits = 8;

// Moves each threshold to the nearest one whose comparison needs the `bits` leading bits (1 to 8) of a byte: one below
// a multiple of 2^(8 - bits), so that with two bits 63, 127 and 191 are left. None becomes one that every byte exceeds,
// or none does.
void keep_leading_bits(Matrix<float>& thresholds, std::size_t bits);

}  // namespace firn::encode
