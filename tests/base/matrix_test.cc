#include "firn/base/matrix.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <new>

namespace firn {
namespace {

TEST(Matrix, RowsAreAlignedPaddedAndZero) {
  const Matrix<float> m(3, 17);
  EXPECT_EQ(m.stride(), 32u);
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.row(r)) % kCacheLine, 0u);
    for (std::size_t c = 0; c < m.stride(); ++c) EXPECT_EQ(m.row(r)[c], 0.f);
  }
}

TEST(Matrix, SmallerAlignmentPacksRows) {
  const Matrix<float> m(5, 4, 16);
  EXPECT_EQ(m.stride(), 4u);
  EXPECT_EQ(m.bytes(), 80u);
}

TEST(Matrix, CopiesAreIndependentAndMovesKeepTheStorage) {
  Matrix<int> a(2, 2);
  a[1][1] = 7;
  Matrix<int> b = a;
  b[1][1] = 8;
  EXPECT_EQ(a[1][1], 7);
  const int* storage = b.data();
  const Matrix<int> c = std::move(b);
  EXPECT_EQ(c.data(), storage);
  EXPECT_EQ(c[1][1], 8);
}

TEST(Matrix, SizesThatOverflowAreRefused) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(Matrix<float>(192, kMost / 2), std::bad_alloc);
  EXPECT_THROW(Matrix<float>(kMost, 16), std::bad_alloc);
  EXPECT_THROW(Matrix<float>(1, kMost), std::bad_alloc);
  EXPECT_THROW(Matrix<float>::bytes_of(kMost / 64 + 2, 16), std::bad_alloc);
}

TEST(Matrix, EmptyIsFine) {
  Matrix<float> m(0, 16);
  m.clear();
  const Matrix<float> copy = m;
  EXPECT_EQ(copy.rows(), 0u);
}

}  // namespace
}  // namespace firn
