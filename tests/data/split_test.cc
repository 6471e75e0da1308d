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

// 42 examples of which 16 are positive, as in a small table.
std::vector<std::uint16_t> few_labels() {
  std::vector<std::uint16_t> labels(42);
  for (std::size_t i = 0; i < 16; ++i) labels[i * 2] = 1;
  return labels;
}

TEST(StratifiedSplit, HoldsOutTheShareOfEveryClass) {
  const std::vector<std::uint16_t> labels = few_labels();
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Split split = draw_stratified_split(labels, 2, 10, seed);
    EXPECT_EQ(split.validation.size(), 10u);
    EXPECT_EQ(split.train.size(), 32u);
    EXPECT_EQ(std::ranges::count_if(split.validation, [&](std::uint32_t i) { return labels[i] == 1; }), 4);
    EXPECT_TRUE(std::ranges::is_sorted(split.train));
  }
  EXPECT_NE(draw_stratified_split(labels, 2, 10, 1).validation, draw_stratified_split(labels, 2, 10, 2).validation);
}

TEST(StratifiedSplit, LeavesOneOfEachClassToTrainOn) {
  const std::vector<std::uint16_t> labels = {0, 0, 0, 0, 1, 3, 3};
  const Split split = draw_stratified_split(labels, 4, 6, 1);
  for (const int label : {0, 1, 3})
    EXPECT_TRUE(std::ranges::any_of(split.train, [&](std::uint32_t i) { return labels[i] == label; })) << label;
  EXPECT_EQ(split.validation.size(), 4u);
}

TEST(StratifiedSplit, IsForFilesOfTheUser) {
  Dataset dataset = with_examples(42);
  dataset.classes = 2;
  dataset.train.labels = few_labels();
  DataSettings settings{.source = "csv", .split = "auto", .validation = 10};
  const std::vector<std::uint32_t> stratified = draw_stratified_split(dataset.train.labels, 2, 10, 1).validation;
  const std::vector<std::uint32_t> uniform = draw_split(42, 10, 1).validation;
  EXPECT_NE(stratified, uniform);
  EXPECT_EQ(split_train(dataset, settings).validation, stratified);
  settings.source = "mnist";
  EXPECT_EQ(split_train(dataset, settings).validation, uniform);
  settings.split = "stratified";
  EXPECT_EQ(split_train(dataset, settings).validation, stratified);
  EXPECT_EQ(split_train(dataset, {.source = "csv", .validation = 10}).validation, uniform);
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
