// Compares blocks of real-valued samples with thresholds, as encode.h does with bytes.
#pragma once

#include <cstdint>
#include <span>

#include "firn/base/matrix.h"
#include "firn/kernels/encode.h"

namespace firn::kernels {

// As their namesakes for bytes. Rows of the thresholds are padded to a multiple of 64 elements.
void threshold_bits(const Samples<float>& samples,
                    const Matrix<float>& thresholds,  // [thresholds][features]
                    Matrix<std::uint64_t>& bits);     // [at least thresholds * features][words]
void threshold_bytes(const Samples<float>& samples,
                     const Matrix<float>& thresholds,  // [thresholds][features]
                     std::span<std::uint8_t> rows);    // [at least thresholds * features]

}  // namespace firn::kernels
