#include "firn/study/predict_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace firn {
namespace {

TEST(CompareValues, LooksAtSamplesThatHaveAValue) {
  Examples examples;
  examples.targets = {1, std::numeric_limits<float>::quiet_NaN(), 3};
  const auto quality = compare_values(examples, {.classes = {0, 0, 0}, .counts = {}, .values = {2, 100, 4}});
  ASSERT_TRUE(quality);
  EXPECT_FLOAT_EQ(static_cast<float>(quality->mae), 1);
}

TEST(CompareValues, FindsNothingWhereNoValuesArePredicted) {
  Examples examples;
  examples.targets = {1, 2, 3};
  EXPECT_FALSE(compare_values(examples, {.classes = {0, 1, 0}, .counts = {}}));
}

}  // namespace
}  // namespace firn
