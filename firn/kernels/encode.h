// Turns blocks of byte samples into `[feature][sample]` rows of 0/1 floats or bits: transposition, comparison and
// widening in one pass over the samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "firn/base/error.h"
#include "firn/base/matrix.h"
#include "firn/base/matrix_view.h"
#include "firn/base/shape.h"

namespace firn::kernels {

// Consecutive samples as they lie in memory, one per row, at any alignment. `readable` elements of every row may be
// loaded: with a matrix of ours the padding too, with memory of others no more than the features.
template <class T>
struct Samples {
  Samples(const Matrix<T>& values, std::size_t first, std::size_t number)  // values: [sample][feature]
      : Samples(MatrixView<T>::borrow(values), first, number) {}
  Samples(const MatrixView<T>& values, std::size_t first, std::size_t number)
      : data(values.data() + first * values.stride()),
        stride(values.stride()),
        features(values.cols()),
        readable(values.readable_cols()),
        count(number) {
    FIRN_CHECK(first + number <= values.rows());
  }
  const T* sample(std::size_t s) const { return data + s * stride; }

  const T* data;
  std::size_t stride, features, readable, count;
};

// Row layout.row_of_feature(t * features + f) becomes 1 where feature f of a sample is above thresholds[t][f] and 0
// elsewhere, also in the padding beyond the last sample. Rows of the border are left alone.
void threshold_rows(const Samples<std::uint8_t>& samples,
                    const Matrix<std::uint8_t>& thresholds,  // [thresholds][features]
                    const RowLayout& layout,
                    Matrix<float>& rows);  // [layout.rows()][samples]

// Row layout.row_of_feature(f) becomes v/255.
void unit_rows(const Samples<std::uint8_t>& samples, const RowLayout& layout, Matrix<float>& rows);

// Row t * features + f holds, in bit s % 64 of word s / 64, whether feature f of sample s is above thresholds[t][f].
// Bits beyond the last sample are zero. Rows behind those of the features are left alone.
void threshold_bits(const Samples<std::uint8_t>& samples,
                    const Matrix<std::uint8_t>& thresholds,  // [thresholds][features]
                    Matrix<std::uint64_t>& bits);            // [at least thresholds * features][words]

// The same for a few samples: row t * features + f is a byte, whose bit s belongs to sample s.
inline constexpr std::size_t kByteSamples = 8;
void threshold_bytes(const Samples<std::uint8_t>& samples,
                     const Matrix<std::uint8_t>& thresholds,  // [thresholds][features]
                     std::span<std::uint8_t> rows);           // [at least thresholds * features]

}  // namespace firn::kernels
