#include "firn/encode/encodings/thermometer_uniform.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/small_data.h"

namespace firn {
namespace {

TEST(ThermometerUniform, WholeThresholdsDecideAsTheFloatComparison) {
  const Dataset data = byte_data({1, 1, 1}, {{0}});
  const auto indices = first_indices(1);
  for (std::size_t thresholds = 1; thresholds <= 63; ++thresholds) {
    const Matrix<float> levels = fit_thermometer_uniform({data, indices}, {"uniform", thresholds, "global"});
    ASSERT_EQ(levels.rows(), thresholds);
    ASSERT_EQ(levels.cols(), 1u);
    for (std::size_t i = 1; i <= thresholds; ++i)
      for (int v = 0; v < 256; ++v) {
        const float x = static_cast<float>(v) / 255.f;
        const float threshold = static_cast<float>(i) / static_cast<float>(thresholds + 1);
        ASSERT_EQ(static_cast<float>(v) > levels[i - 1][0], x > threshold) << v << " of " << thresholds;
      }
  }
}

TEST(ThermometerUniform, TwoBitsOfAByteAreThreeThresholds) {
  const Dataset data = byte_data({1, 1, 1}, {{7}});
  const Matrix<float> levels = fit_thermometer_uniform({data, first_indices(1)}, {"uniform", 3, "global"});
  EXPECT_EQ(levels[0][0], 63.f);
  EXPECT_EQ(levels[1][0], 127.f);
  EXPECT_EQ(levels[2][0], 191.f);
}

TEST(ThermometerUniform, RealsUseTheRangeOfEachFeatureInTheTrainingSplit) {
  const Dataset data = real_data({3, 1, 1}, {{0, -10, 5}, {4, 30, 5}, {1, 0, 5}, {1000, 1000, 1000}});
  const Matrix<float> levels = fit_thermometer_uniform({data, first_indices(3)}, {"uniform", 3, "global"});
  ASSERT_EQ(levels.cols(), 3u);
  const float expected[3][3] = {{1, 0, 5}, {2, 10, 5}, {3, 20, 5}};
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t f = 0; f < 3; ++f) EXPECT_EQ(levels[t][f], expected[t][f]);
}

TEST(ThermometerUniform, TheMaximumExceedsEveryThreshold) {
  const float high = std::nextafter(1.f, 2.f);  // no float lies between it and 1
  const Dataset data = real_data({1, 1, 1}, {{1.f}, {high}});
  const Matrix<float> levels = fit_thermometer_uniform({data, first_indices(2)}, {"uniform", 3, "global"});
  for (std::size_t t = 0; t < 3; ++t) EXPECT_EQ(levels[t][0], 1.f);
}

}  // namespace
}  // namespace firn
