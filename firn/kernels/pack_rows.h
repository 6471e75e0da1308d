// Rows of floats to packed rows.
#pragma once

#include <cstddef>

#include "firn/kernels/packed.h"

namespace firn::kernels {

// Values must be from 0 to 1; `samples` is the length of a row, a multiple of 16.
void pack_rows(std::size_t rows, std::size_t samples, const float* in, PackedValue* out);

}  // namespace firn::kernels
