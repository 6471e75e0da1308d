#include "firn/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace firn {
namespace {

TEST(Random, PhiloxKnownAnswer) {
  // The all-zero counter and key of Random123's published test vectors.
  EXPECT_EQ(Random(0, std::uint64_t{0}).block(0),
            (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

TEST(Random, StreamsAndSeedsDiffer) {
  EXPECT_NE(Random(1, "a").block(0), Random(1, "b").block(0));
  EXPECT_NE(Random(1, "a").block(0), Random(2, "a").block(0));
}

TEST(RandomSequence, ContinuesFromAStoredPosition) {
  RandomSequence first(3, "x");
  for (int i = 0; i < 7; ++i) first.normal();
  RandomSequence second(Random(3, "x"), first.position());
  EXPECT_EQ(first.next(), second.next());
}

TEST(RandomSequence, BelowIsUniform) {
  RandomSequence random(5, "below");
  std::array<int, 7> seen{};
  for (int i = 0; i < 70000; ++i) ++seen[random.below(7)];
  for (int count : seen) EXPECT_NEAR(count, 10000, 500);
}

TEST(RandomSequence, NormalHasUnitVariance) {
  RandomSequence random(5, "normal");
  double sum = 0, squares = 0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / n, 0.0, 0.02);
  EXPECT_NEAR(squares / n, 1.0, 0.03);
}

TEST(Permutation, HoldsEveryNumberOnce) {
  RandomSequence random(1, "permutation");
  auto order = permutation(1000, random);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(order[i], i);
}

}  // namespace
}  // namespace firn
