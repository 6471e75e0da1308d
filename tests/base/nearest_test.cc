#include "firn/base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace firn {
namespace {

TEST(EditDistance, CountsTheFourSlips) {
  EXPECT_EQ(edit_distance("data", "data"), 0u);
  EXPECT_EQ(edit_distance("data", "daata"), 1u);  // insertion
  EXPECT_EQ(edit_distance("data", "dta"), 1u);    // deletion
  EXPECT_EQ(edit_distance("data", "dara"), 1u);   // replacement
  EXPECT_EQ(edit_distance("data", "daat"), 1u);   // swapped neighbours
  EXPECT_EQ(edit_distance("", "data"), 4u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, PrefersTheSmallestDistance) {
  const std::vector<std::string> known = {"mnist", "fashion-mnist", "cifar10"};
  EXPECT_EQ(nearest("mnsit", known), "mnist");
  EXPECT_EQ(nearest("fashion_mnist", known), "fashion-mnist");
  EXPECT_EQ(nearest("cifar-10", known), "cifar10");
}

TEST(Nearest, StaysSilentWhenNothingIsNear) {
  const std::vector<std::string> known = {"mnist", "ab"};
  EXPECT_EQ(nearest("imagenet", known), std::nullopt);
  EXPECT_EQ(nearest("xy", known), std::nullopt);  // two letters of two: anything would match
  EXPECT_EQ(nearest("", known), std::nullopt);
  EXPECT_EQ(nearest(std::string(100000, 'm'), known), std::nullopt);
}

TEST(Suggestion, IsTheEndOfASentence) {
  const std::vector<std::string> known = {"seed"};
  EXPECT_EQ(suggestion("sead", known), "; did you mean seed?");
  EXPECT_EQ(suggestion("thresholds", known), "");
}

}  // namespace
}  // namespace firn
