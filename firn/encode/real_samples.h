// Turns blocks of real-valued samples into `[feature][sample]` rows: the plain twin of the byte kernels.
#pragma once

#include <cstdint>

#include "firn/base/matrix.h"
#include "firn/base/shape.h"
#include "firn/kernels/encode.h"

namespace firn::encode {

// As their namesakes for bytes; thresholds are [thresholds][features].
void threshold_rows(const Samples<float>& samples, const Matrix<float>& thresholds, const RowLayout& layout,
                    Matrix<float>& rows);

// Copies the values.
void unit_rows(const Samples<float>& samples, const RowLayout& layout, Matrix<float>& rows);

}  // namespace firn::encode
