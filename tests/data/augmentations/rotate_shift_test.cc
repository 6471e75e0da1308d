#include "firn/data/augmentations/rotate_shift.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/small_data.h"

namespace firn {
namespace {

constexpr std::uint32_t kMiddle = 0x80000000u;  // the word for no rotation and no shift

// The word for `part` of the largest change, -1 <= part < 1.
std::uint32_t word(double part) {
  return static_cast<std::uint32_t>((part + 1) * 0x1p31);
}

std::vector<std::uint8_t> rotate_and_shift(const Shape& shape, const std::uint8_t* image, const RandomWords& words) {
  std::vector<std::uint8_t> out(shape.size());
  rotate_shift(shape, image, words, out.data());
  return out;
}

TEST(RotateShift, TheMiddleWordsChangeNothing) {
  for (const Shape shape : {Shape{1, 28, 28}, Shape{2, 5, 8}}) {
    const Matrix<std::uint8_t> image = random_bytes(1, shape.size(), 1);
    EXPECT_TRUE(std::ranges::equal(rotate_and_shift(shape, image.row(0), {kMiddle, kMiddle, kMiddle, 0}), image[0]));
  }
}

TEST(RotateShift, ShiftsByWholePixelsAndFillsWithBlack) {
  const Shape shape = {1, 20, 20};
  const Matrix<std::uint8_t> image = random_bytes(1, shape.size(), 2);
  // 0.9 of two pixels to the right is two; 0.5 of two pixels up is one.
  const auto out = rotate_and_shift(shape, image.row(0), {kMiddle, word(0.9), word(-0.5), 0});
  for (std::size_t y = 0; y < 20; ++y)
    for (std::size_t x = 0; x < 20; ++x)
      EXPECT_EQ(out[y * 20 + x], x >= 2 && y + 1 < 20 ? image[0][(y + 1) * 20 + x - 2] : 0);
}

TEST(RotateShift, MatchesTheRotationInFloatingPoint) {
  const Shape shape = {1, 28, 28};
  const Matrix<std::uint8_t> image = random_bytes(1, shape.size(), 3);
  for (double part : {-1.0, -0.37, 0.11, 0.5, 0.93}) {
    const auto out = rotate_and_shift(shape, image.row(0), {word(part), kMiddle, kMiddle, 0});
    const double angle = part * 15 * std::numbers::pi / 180;
    for (int y = 0; y < 28; ++y)
      for (int x = 0; x < 28; ++x) {
        const double u = x - 13.5, v = y - 13.5;
        const int from_x = static_cast<int>(std::floor(std::cos(angle) * u + std::sin(angle) * v + 14));
        const int from_y = static_cast<int>(std::floor(std::cos(angle) * v - std::sin(angle) * u + 14));
        const bool inside = from_x >= 0 && from_x < 28 && from_y >= 0 && from_y < 28;
        ASSERT_EQ(out[y * 28 + x], inside ? image[0][from_y * 28 + from_x] : 0) << part << " at " << x << "," << y;
      }
  }
}

TEST(RotateShift, WhatTheRotationLosesDoesNotComeBack) {
  const Shape shape = {1, 28, 28};
  const std::vector<std::uint8_t> white(shape.size(), 255);
  const auto out = rotate_and_shift(shape, white.data(), {word(0.8), word(0.99), kMiddle, 0});
  // The shift by three pixels brings in three black columns, even where the turned plane would have been white.
  for (std::size_t y = 0; y < 28; ++y)
    for (std::size_t x = 0; x < 3; ++x) EXPECT_EQ(out[y * 28 + x], 0);
  EXPECT_EQ(out[14 * 28 + 14], 255);
}

TEST(RotateShift, ChannelsMoveTogether) {
  const Shape shape = {2, 10, 10};
  Matrix<std::uint8_t> image = random_bytes(1, shape.size(), 4);
  std::copy_n(image.row(0), 100, image.row(0) + 100);
  const auto out = rotate_and_shift(shape, image.row(0), {word(0.7), word(-0.9), word(0.9), 0});
  EXPECT_TRUE(std::equal(out.begin(), out.begin() + 100, out.begin() + 100));
}

}  // namespace
}  // namespace firn
