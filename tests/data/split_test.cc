#include "firn/data/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/expect_error.h"

namespace firn {
namespace {

Dataset with_examples(std::size_t count) {
  Dataset dataset;
  dataset.name = "some";
  dataset.train.bytes = Matrix<std::uint8_t>(count, 1);
  dataset.train.labels.resize(count);
  return dataset;
}

TEST(Split, EveryExampleIsInExactlyOnePart) {
  const Split split = draw_split(1000, 137, 1);
  EXPECT_EQ(split.validation.size(), 137u);
  EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
  EXPECT_TRUE(std::is_sorted(split.validation.begin(), split.validation.end()));
  std::vector<std::uint32_t> all = split.train;
  all.insert(all.end(), split.validation.begin(), split.validation.end());
  std::sort(all.begin(), all.end());
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(all.at(i), i);
}

TEST(Split, IsAFunctionOfTheSeed) {
  EXPECT_EQ(draw_split(500, 50, 7).validation, draw_split(500, 50, 7).validation);
  EXPECT_NE(draw_split(500, 50, 7).validation, draw_split(500, 50, 8).validation);
}

TEST(Split, DrawsUniformly) {
  std::vector<int> held_out(20);
  for (std::uint64_t seed = 0; seed < 4000; ++seed)
    for (std::uint32_t i : draw_split(20, 5, seed).validation) ++held_out[i];
  for (int count : held_out) EXPECT_NEAR(count, 1000, 150);  // over five standard deviations
}

TEST(Split, HoldsOutATenthUnlessToldOtherwise) {
  DataSettings settings;
  EXPECT_EQ(split_train(with_examples(50000), settings).train.size(), 45000u);
  settings.validation = 3;
  EXPECT_EQ(split_train(with_examples(50), settings).validation.size(), 3u);
  settings.validation = 50;
  EXPECT_THAT(error_of([&] { split_train(with_examples(50), settings); }), testing::HasSubstr("data.validation"));
}

}  // namespace
}  // namespace firn
