#include "firn/data/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/expect_error.h"
#include "tests/support/small_data.h"

namespace firn {
namespace {

std::vector<std::uint32_t> copy(std::span<const std::uint32_t> batch) {
  return {batch.begin(), batch.end()};
}

std::vector<std::uint32_t> epoch_order(BatchOrder& order, std::uint64_t epoch) {
  std::vector<std::uint32_t> samples;
  for (std::uint64_t step = 1; step <= order.steps_per_epoch(); ++step)
    for (std::uint32_t sample : order.batch(epoch * order.steps_per_epoch() + step)) samples.push_back(sample);
  return samples;
}

TEST(BatchOrder, EverySampleOncePerEpochInANewOrder) {
  std::vector<std::uint32_t> indices = {3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610};
  BatchOrder order(indices, 4, 1);
  EXPECT_EQ(order.steps_per_epoch(), 3u);
  std::vector<std::uint32_t> first = epoch_order(order, 0), second = epoch_order(order, 1);
  EXPECT_NE(first, second);
  std::ranges::sort(first);
  std::ranges::sort(second);
  EXPECT_EQ(first, indices);
  EXPECT_EQ(second, indices);
}

TEST(BatchOrder, DropsThePartialBatchButNotAlwaysTheSameSamples) {
  BatchOrder order(first_indices(11), 4, 1);
  EXPECT_EQ(order.steps_per_epoch(), 2u);
  std::set<std::uint32_t> seen;
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    const auto samples = epoch_order(order, epoch);
    EXPECT_EQ(std::set(samples.begin(), samples.end()).size(), 8u);
    seen.insert(samples.begin(), samples.end());
  }
  EXPECT_EQ(seen.size(), 11u);
}

TEST(BatchOrder, RandomAccessEqualsSequential) {
  BatchOrder sequential(first_indices(103), 10, 7), jumping(first_indices(103), 10, 7);
  std::vector<std::vector<std::uint32_t>> steps;
  for (std::uint64_t step = 1; step <= 35; ++step) steps.push_back(copy(sequential.batch(step)));
  for (std::uint64_t step : {35, 1, 20, 21, 10, 11, 2}) EXPECT_EQ(copy(jumping.batch(step)), steps[step - 1]) << step;
}

TEST(BatchOrder, EpochsCountFromZeroAndStepsFromOne) {
  const BatchOrder order(first_indices(45000), 128, 1);
  EXPECT_EQ(order.steps_per_epoch(), 351u);
  EXPECT_EQ(order.epoch(1), 0u);
  EXPECT_EQ(order.epoch(351), 0u);
  EXPECT_EQ(order.epoch(352), 1u);
}

TEST(BatchOrder, SeedsDiffer) {
  BatchOrder a(first_indices(100), 50, 1), b(first_indices(100), 50, 2);
  EXPECT_NE(copy(a.batch(1)), copy(b.batch(1)));
}

TEST(BatchOrder, RefusesImpossibleSizes) {
  EXPECT_THAT(error_of([] { BatchOrder(first_indices(124), 128, 1); }),
              testing::HasSubstr("batches of 128 cannot be made from 124 training samples"));
  EXPECT_NE(error_or_none([] { BatchOrder(first_indices(124), 0, 1); }), kNoError);
  EXPECT_EQ(error_or_none([] { BatchOrder(first_indices(124), 124, 1); }), kNoError);
}

}  // namespace
}  // namespace firn
