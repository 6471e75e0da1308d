#include "firn/data/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_data.h"

namespace firn {
namespace {

using testing::ElementsAre;

TEST(GatherExamples, CopiesTheListedOnesInTheirOrder) {
  Dataset bytes = byte_data({2, 1, 1}, {{1, 2}, {3, 4}, {5, 6}});
  bytes.train.labels = {7, 8, 9};
  const std::vector<std::uint32_t> indices = {2, 0, 2};
  const Examples chosen = gather_examples(bytes.train, indices);
  ASSERT_EQ(chosen.count(), 3u);
  EXPECT_FALSE(chosen.has_reals());
  EXPECT_THAT(chosen.bytes[0], ElementsAre(5, 6));
  EXPECT_THAT(chosen.bytes[1], ElementsAre(1, 2));
  EXPECT_THAT(chosen.bytes[2], ElementsAre(5, 6));
  EXPECT_THAT(chosen.labels, ElementsAre(9, 7, 9));

  const Examples reals = gather_examples(real_data({1, 1, 1}, {{0.5f}, {1.5f}}).train, std::vector<std::uint32_t>{1});
  ASSERT_EQ(reals.count(), 1u);
  EXPECT_THAT(reals.reals[0], ElementsAre(1.5f));
}

TEST(GatherExamples, NeedsNoLabelsAndNoIndices) {
  Examples examples;
  examples.bytes = matrix_of<std::uint8_t>({{1}, {2}});
  EXPECT_TRUE(gather_examples(examples, std::vector<std::uint32_t>{1}).labels.empty());
  EXPECT_EQ(gather_examples(examples, {}).count(), 0u);
}

TEST(GatherExamples, AnIndexBeyondTheExamplesIsABug) {
  const Dataset data = byte_data({1, 1, 1}, {{1}, {2}});
  EXPECT_THROW(gather_examples(data.train, std::vector<std::uint32_t>{2}), InternalError);
}

}  // namespace
}  // namespace firn
