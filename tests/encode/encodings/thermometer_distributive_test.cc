#include "firn/encode/encodings/thermometer_distributive.h"

#include <gtest/gtest.h>

#include "tests/support/small_data.h"

namespace firn {
namespace {

// Two channels of two values each.
const std::vector<std::vector<std::uint8_t>> kBytes = {{10, 50, 200, 255}, {20, 60, 210, 255}, {30, 70, 220, 255}};

Matrix<float> fit(const Dataset& data, std::size_t thresholds, const char* scope, std::size_t count = 3) {
  return fit_thermometer_distributive({data, first_indices(count)}, {"distributive", thresholds, scope});
}

void expect_matrix(const Matrix<float>& actual, const std::vector<std::vector<float>>& expected) {
  ASSERT_EQ(actual.rows(), expected.size());
  ASSERT_EQ(actual.cols(), expected[0].size());
  for (std::size_t t = 0; t < expected.size(); ++t)
    for (std::size_t g = 0; g < expected[t].size(); ++g) EXPECT_EQ(actual[t][g], expected[t][g]) << t << ", " << g;
}

TEST(ThermometerDistributive, TakesTheElementAtTheWholePartOfThePosition) {
  const Dataset data = byte_data({2, 1, 2}, kBytes);
  // 10 20 30 50 60 70 200 210 220 255 255 255: positions 3, 6, 9.
  expect_matrix(fit(data, 3, "global"), {{50}, {200}, {255}});
  // Positions 1 3 4 of 10 20 30 50 60 70 and of 200 210 220 255 255 255.
  expect_matrix(fit(data, 3, "channel"), {{20, 210}, {50, 255}, {60, 255}});
  // Position 1 of three values.
  expect_matrix(fit(data, 1, "feature"), {{20, 60, 210, 255}});
}

TEST(ThermometerDistributive, RealsAndBytesAgree) {
  std::vector<std::vector<std::uint8_t>> bytes(23, std::vector<std::uint8_t>(12));
  std::vector<std::vector<float>> reals(23, std::vector<float>(12));
  RandomSequence random(3, "values");
  for (std::size_t s = 0; s < bytes.size(); ++s)
    for (std::size_t f = 0; f < 12; ++f) reals[s][f] = bytes[s][f] = static_cast<std::uint8_t>(random.below(40));
  const Dataset byte_set = byte_data({3, 2, 2}, bytes), real_set = real_data({3, 2, 2}, reals);
  for (const char* scope : {"global", "channel", "feature"})
    for (std::size_t thresholds : {1, 2, 3, 7, 31, 255}) {
      const Matrix<float> a = fit(byte_set, thresholds, scope, 23), b = fit(real_set, thresholds, scope, 23);
      ASSERT_EQ(a.cols(), b.cols());
      for (std::size_t t = 0; t < thresholds; ++t)
        for (std::size_t g = 0; g < a.cols(); ++g) ASSERT_EQ(a[t][g], b[t][g]) << scope << " " << thresholds;
    }
}

TEST(ThermometerDistributive, LooksAtTheTrainingSplitOnly) {
  auto rows = kBytes;
  rows.push_back({0, 0, 0, 0});
  const Dataset with_validation = byte_data({2, 1, 2}, rows);
  expect_matrix(fit(with_validation, 3, "global", 3), {{50}, {200}, {255}});
}

// Nothing exceeds the largest value: a threshold there would make a bit that is never set.
TEST(ThermometerDistributive, AFeatureThatIsMostlyAtItsMaximumKeepsItsBits) {
  std::vector<std::vector<std::uint8_t>> bytes(20, {255, 7, 9});
  std::vector<std::vector<float>> reals(20, {1.f, 7.f, 9.f});
  bytes[3] = {0, 7, 5}, reals[3] = {0.f, 7.f, 5.f};
  bytes[8] = {0, 7, 2}, reals[8] = {0.f, 7.f, 2.f};
  const std::vector<std::vector<float>> expected = {{0, 7, 5}, {0, 7, 5}, {0, 7, 5}};
  for (const char* scope : {"feature", "channel"}) {
    expect_matrix(fit(byte_data({3, 1, 1}, bytes), 3, scope, 20), expected);
    expect_matrix(fit(real_data({3, 1, 1}, reals), 3, scope, 20), expected);
  }
}

}  // namespace
}  // namespace firn
