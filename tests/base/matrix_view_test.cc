#include "firn/base/matrix_view.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace firn {
namespace {

TEST(MatrixView, TakesAMatrixOverAndSharesIt) {
  Matrix<float> matrix(2, 3);
  matrix[1][2] = 7;
  const float* data = matrix.data();
  auto first = std::make_unique<MatrixView<float>>(std::move(matrix));
  const MatrixView<float> second = *first;
  first.reset();
  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(second[1][2], 7);
  EXPECT_EQ(second[1].size(), 3u);
  EXPECT_EQ(second.readable_cols(), second.stride());
}

TEST(MatrixView, BorrowsWithoutACopy) {
  std::vector<std::uint8_t> memory = {9, 1, 2, 3, 4, 5, 6};
  const auto view = MatrixView<std::uint8_t>::borrow(memory.data() + 1, 2, 3);
  EXPECT_EQ(view.row(1), memory.data() + 4);
  EXPECT_EQ(view.stride(), 3u);
  EXPECT_EQ(view.readable_cols(), 3u);
  memory[6] = 77;
  EXPECT_EQ(view[1][2], 77);
}

TEST(MatrixView, BorrowsAMatrixWithItsPadding) {
  const Matrix<std::uint8_t> matrix(3, 5);
  const auto view = MatrixView<std::uint8_t>::borrow(matrix);
  EXPECT_EQ(view.row(2), matrix.row(2));
  EXPECT_EQ(view.cols(), 5u);
  EXPECT_EQ(view.readable_cols(), 64u);
}

}  // namespace
}  // namespace firn
