#include "firn/discretize/noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "firn/model/build.h"

namespace firn {
namespace {

TEST(GumbelNoise, DependsOnSeedAndStepOnly) {
  const auto model = build_model({.family = "dense", .width = 3000, .layers = 1}, {64}, 2, 1);
  Threads one(1), two(2);
  GumbelNoise a(*model, 5, one), b(*model, 5, two), c(*model, 6, one);
  a.draw(9);
  b.draw(8);
  b.draw(9);
  c.draw(9);
  const std::size_t count = 3000 * kSlots;
  EXPECT_TRUE(std::equal(a.of_group(0).data(), a.of_group(0).data() + count, b.of_group(0).data()));
  EXPECT_NE(a.of_group(0).row(0)[0], c.of_group(0).row(0)[0]);
}

TEST(GumbelNoise, HasTheMeanAndVarianceOfItsDistribution) {
  const auto model = build_model({.family = "dense", .width = 4000, .layers = 1}, {64}, 2, 1);
  Threads threads(1);
  GumbelNoise noise(*model, 1, threads);
  noise.draw(1);
  double sum = 0, squares = 0;
  const std::size_t count = 4000 * kSlots;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = noise.of_group(0).data()[i];
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
  }
  const double mean = sum / static_cast<double>(count);
  EXPECT_NEAR(mean, 0.5772, 0.03);
  EXPECT_NEAR(squares / static_cast<double>(count) - mean * mean, 1.6449, 0.06);
}

}  // namespace
}  // namespace firn
