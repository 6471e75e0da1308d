#include "firn/encode/encodings/thermometer_foreground.h"

#include <gtest/gtest.h>

#include "tests/support/small_data.h"

namespace firn {
namespace {

std::vector<float> fit(const Dataset& data, std::size_t thresholds, std::size_t count) {
  const Matrix<float> fitted = fit_thermometer_foreground({data, first_indices(count)}, {"foreground", thresholds});
  EXPECT_EQ(fitted.cols(), 1u);
  std::vector<float> column;
  for (std::size_t t = 0; t < fitted.rows(); ++t) column.push_back(fitted[t][0]);
  return column;
}

TEST(ThermometerForeground, DividesWhatLiesAboveTheLowestValue) {
  const Dataset data = byte_data({1, 2, 3}, {{0, 0, 0, 0, 10, 20}, {0, 0, 30, 40, 50, 60}});
  EXPECT_EQ(fit(data, 1, 2), (std::vector<float>{0}));
  EXPECT_EQ(fit(data, 2, 2), (std::vector<float>{0, 40}));          // position 3 of 10 20 30 40 50 60
  EXPECT_EQ(fit(data, 4, 2), (std::vector<float>{0, 20, 40, 50}));  // positions 1, 3 and 4
}

TEST(ThermometerForeground, LooksAtTheTrainingSplitOnly) {
  const Dataset data = byte_data({1, 1, 3}, {{5, 10, 20}, {0, 30, 40}});
  EXPECT_EQ(fit(data, 2, 1), (std::vector<float>{5, 20}));
}

TEST(ThermometerForeground, RealsAndBytesAgree) {
  std::vector<std::vector<std::uint8_t>> bytes(23, std::vector<std::uint8_t>(12));
  std::vector<std::vector<float>> reals(23, std::vector<float>(12));
  RandomSequence random(3, "values");
  for (std::size_t s = 0; s < bytes.size(); ++s)
    for (std::size_t f = 0; f < 12; ++f)
      reals[s][f] = bytes[s][f] = static_cast<std::uint8_t>(random.below(2) == 0 ? 3 : 3 + random.below(40));
  for (std::size_t thresholds : {1, 2, 3, 7, 31, 255})
    EXPECT_EQ(fit(byte_data({3, 2, 2}, bytes), thresholds, 23), fit(real_data({3, 2, 2}, reals), thresholds, 23));
}

TEST(ThermometerForeground, TakesDataOfASingleValue) {
  EXPECT_EQ(fit(byte_data({1, 1, 2}, {{7, 7}}), 3, 1), (std::vector<float>{7, 7, 7}));
}

}  // namespace
}  // namespace firn
