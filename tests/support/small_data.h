// Hand-made data sets for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "firn/base/random.h"
#include "firn/data/dataset.h"

namespace firn {

template <class T>
Matrix<T> matrix_of(const std::vector<std::vector<T>>& rows) {
  Matrix<T> matrix(rows.size(), rows.empty() ? 0 : rows[0].size());
  for (std::size_t r = 0; r < rows.size(); ++r) std::copy(rows[r].begin(), rows[r].end(), matrix[r].begin());
  return matrix;
}

inline Dataset byte_data(const Shape& shape, const std::vector<std::vector<std::uint8_t>>& train) {
  Dataset data;
  data.name = "toy";
  data.shape = shape;
  data.train.bytes = matrix_of(train);
  data.train.labels.resize(train.size());
  return data;
}

inline Dataset real_data(const Shape& shape, const std::vector<std::vector<float>>& train) {
  Dataset data;
  data.name = "toy";
  data.shape = shape;
  data.train.reals = matrix_of(train);
  data.train.labels.resize(train.size());
  return data;
}

inline Matrix<std::uint8_t> random_bytes(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Matrix<std::uint8_t> matrix(rows, cols);
  RandomSequence random(seed, "test bytes");
  for (std::size_t r = 0; r < rows; ++r)
    for (std::uint8_t& v : matrix[r]) v = static_cast<std::uint8_t>(random.next());
  return matrix;
}

inline std::vector<std::uint32_t> first_indices(std::size_t count) {
  std::vector<std::uint32_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0u);
  return indices;
}

}  // namespace firn
