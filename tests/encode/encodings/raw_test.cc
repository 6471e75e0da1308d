#include "firn/encode/encodings/raw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/expect_error.h"
#include "tests/support/small_data.h"

namespace firn {
namespace {

Matrix<float> fitted(const Dataset& data) {
  return fit_raw({data, first_indices(data.train.count())}, {});
}

TEST(Raw, RoundsOneHalfUp) {
  const float byte_threshold = fitted(byte_data({1, 1, 1}, {{0}}))[0][0];
  for (int v = 0; v < 256; ++v)
    EXPECT_EQ(static_cast<float>(v) > byte_threshold, static_cast<float>(v) / 255.f >= 0.5f) << v;
  const float real_threshold = fitted(real_data({1, 1, 1}, {{0}}))[0][0];
  EXPECT_TRUE(0.5f > real_threshold);
  EXPECT_FALSE(0.49999997f > real_threshold);
}

TEST(Raw, RefusesValuesOutsideOfTheUnitInterval) {
  using testing::HasSubstr;
  EXPECT_EQ(error_or_none([] { fitted(real_data({2, 1, 1}, {{0, 1}})); }), kNoError);
  EXPECT_THAT(error_of([] {
                fitted(real_data({2, 1, 1}, {{0, 1}, {1.5f, 0}}));
              }),
              HasSubstr("toy: training example 1 has the value 1.5"));
  EXPECT_THAT(error_of([] {
                fitted(real_data({1, 1, 1}, {{std::numeric_limits<float>::quiet_NaN()}}));
              }),
              HasSubstr("example 0 has the value nan"));
}

}  // namespace
}  // namespace firn
