#include "firn/encode/leading_bits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include "firn/base/error.h"
#include "firn/encode/encoder.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<float> kept(std::initializer_list<float> thresholds, std::size_t bits) {
  Matrix<float> matrix(thresholds.size(), 1);
  std::size_t t = 0;
  for (const float threshold : thresholds) matrix[t++][0] = threshold;
  keep_leading_bits(matrix, bits);
  std::vector<float> result;
  for (t = 0; t < matrix.rows(); ++t) result.push_back(matrix[t][0]);
  return result;
}

TEST(LeadingBits, MoveThresholdsToTheNearestOneThatNeedsNoOtherBits) {
  EXPECT_THAT(kept({60, 127, 200}, 2), ElementsAre(63, 127, 191));
  EXPECT_THAT(kept({78, 118, 165}, 3), ElementsAre(63, 127, 159));
  EXPECT_THAT(kept({78, 118, 165}, 1), ElementsAre(127, 127, 127));
  EXPECT_THAT(kept({78, 118, 165}, 8), ElementsAre(78, 118, 165));
}

TEST(LeadingBits, NeverMakeABitConstant) {
  EXPECT_THAT(kept({0, 255}, 2), ElementsAre(63, 191));
  EXPECT_THAT(kept({0, 255}, 8), ElementsAre(0, 254));
}

TEST(LeadingBits, DecideAloneWhatABitIs) {
  for (std::size_t bits = 1; bits <= kByteBits; ++bits)
    for (int threshold = 0; threshold < 256; ++threshold) {
      const float moved = kept({static_cast<float>(threshold)}, bits)[0];
      for (unsigned value = 0; value < 256; ++value) {
        const unsigned leading = value >> (kByteBits - bits) << (kByteBits - bits);
        ASSERT_EQ(static_cast<float>(value) > moved, static_cast<float>(leading) > moved) << bits << ' ' << threshold;
      }
    }
}

Dataset four_bytes() {
  Dataset data;
  data.name = "four";
  data.shape = {1, 1, 1};
  data.classes = 2;
  Matrix<std::uint8_t> bytes(4, 1);
  for (std::size_t i = 0; i < 4; ++i) bytes[i][0] = static_cast<std::uint8_t>(70 * i);
  data.train.bytes = std::move(bytes);
  data.train.labels = {0, 1, 0, 1};
  return data;
}

TEST(LeadingBits, AreASettingOfTheThermometers) {
  const std::vector<std::uint32_t> all = {0, 1, 2, 3};
  const Dataset data = four_bytes();
  const auto threshold = [&](const EncodeSettings& settings) {
    return fit_encoder(settings, data, all).thresholds()[0][0];
  };
  EXPECT_EQ(threshold({.encoding = "distributive", .thresholds = 1}), 140);
  EXPECT_EQ(threshold({.encoding = "distributive", .thresholds = 1, .bits = 2}), 127);
  EXPECT_EQ(threshold({.encoding = "uniform", .thresholds = 2, .bits = 2}), 63);
  EXPECT_EQ(threshold({.encoding = "raw", .thresholds = 1, .bits = 2}), 127);
}

TEST(LeadingBits, AreRefusedForRealNumbersAndBeyondAByte) {
  const std::vector<std::uint32_t> all = {0};
  Dataset data = four_bytes();
  const auto message = [&](const EncodeSettings& settings) -> std::string {
    try {
      fit_encoder(settings, data, all);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message({.bits = 9}), HasSubstr("encode.bits is 9"));
  data.train.bytes = Matrix<std::uint8_t>();
  data.train.reals = Matrix<float>(1, 1);
  data.train.labels = {0};
  EXPECT_THAT(message({.bits = 2}), HasSubstr("four holds real numbers"));
}

}  // namespace
}  // namespace firn
