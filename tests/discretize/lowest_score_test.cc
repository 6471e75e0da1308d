#include "firn/discretize/lowest_score.h"

#include <gtest/gtest.h>

#include <array>

namespace firn {
namespace {

TEST(LowestScore, IsTheSmallest) {
  std::array<double, kSlots> scores{};
  scores[11] = -1;
  scores[3] = -0.5;
  EXPECT_EQ(lowest_score(scores, 3), 11u);
  EXPECT_EQ(lowest_score(scores, 11), 11u);
}

TEST(LowestScore, TheArgmaxSlotWinsTiesThenTheLowestIndex) {
  std::array<float, kSlots> scores{};
  EXPECT_EQ(lowest_score(scores, 7), 7u);
  scores[2] = -0.f;  // equal to 0
  EXPECT_EQ(lowest_score(scores, 7), 7u);
  scores[5] = scores[9] = -1;
  EXPECT_EQ(lowest_score(scores, 7), 5u);
  EXPECT_EQ(lowest_score(scores, 9), 9u);
}

TEST(LowestScore, LooksAtTheGivenSlotsOnly) {
  std::array<double, kSlots> scores{};
  scores[0] = -9;
  scores[4] = scores[12] = -1;
  constexpr std::size_t kSome[] = {1, 4, 8, 12};
  EXPECT_EQ(lowest_score(scores, 8, kSome), 4u);
  EXPECT_EQ(lowest_score(scores, 12, kSome), 12u);
  scores[4] = scores[12] = 0;
  EXPECT_EQ(lowest_score(scores, 8, kSome), 8u);
}

}  // namespace
}  // namespace firn
