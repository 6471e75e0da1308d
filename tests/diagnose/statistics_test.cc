#include "firn/diagnose/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "firn/base/random.h"

namespace firn {
namespace {

// The definition, word for word: the rank of a value is one more than the number of smaller ones, plus half the number
// of other equal ones; then Pearson's correlation.
std::vector<double> slow_ranks(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (double v : values) {
    double smaller = 0, equal = 0;
    for (double w : values) {
      smaller += w < v;
      equal += w == v;
    }
    ranks.push_back(1 + smaller + (equal - 1) / 2);
  }
  return ranks;
}

double pearson(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mx += x[i] / n;
    my += y[i] / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    xy += (x[i] - mx) * (y[i] - my);
  }
  return xy / std::sqrt(xx * yy);
}

struct Pairs {
  std::vector<double> x, y;
};

// Few levels give many ties; none gives none.
Pairs random_pairs(std::size_t count, std::uint32_t levels, std::uint64_t seed) {
  RandomSequence random(seed, "test/pairs");
  Pairs pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = levels == 0 ? static_cast<double>(random.normal()) : static_cast<double>(random.below(levels));
    const double b = levels == 0 ? static_cast<double>(random.normal()) : static_cast<double>(random.below(levels));
    pairs.x.push_back(a);
    pairs.y.push_back(0.6 * a + b);
  }
  return pairs;
}

TEST(Spearman, EqualsItsDefinitionWithAndWithoutTies) {
  for (const std::uint32_t levels : {0, 2, 3, 10, 100})
    for (const std::size_t count : {3, 16, 200}) {
      const Pairs p = random_pairs(count, levels, levels + count);
      const auto rho = spearman(p.x, p.y);
      ASSERT_TRUE(rho.has_value());
      EXPECT_NEAR(*rho, pearson(slow_ranks(p.x), slow_ranks(p.y)), 1e-12) << levels << " " << count;
    }
}

TEST(Spearman, KnownValues) {
  const std::vector<double> x = {1, 2, 3, 4, 5}, up = {1, 4, 9, 16, 25}, down = {5, 4, 3, 2, 1};
  EXPECT_DOUBLE_EQ(*spearman(x, up), 1);
  EXPECT_DOUBLE_EQ(*spearman(x, down), -1);
  // Ranks 1, 2.5, 2.5, 4 against 2, 1, 3, 4: deviations multiply to 3, squares to 4.5 and 5.
  EXPECT_NEAR(*spearman(std::vector<double>{1, 2, 2, 3}, std::vector<double>{2, 1, 3, 4}), 3 / std::sqrt(4.5 * 5),
              1e-15);
}

TEST(Spearman, AConstantSideHasNoCorrelation) {
  EXPECT_FALSE(spearman(std::vector<double>{1, 1, 1}, std::vector<double>{1, 2, 3}).has_value());
  EXPECT_FALSE(spearman(std::vector<double>{}, std::vector<double>{}).has_value());
}

TEST(Spearman, CountsStandForRepeatedPairs) {
  const Pairs p = random_pairs(40, 7, 3);
  RandomSequence random(5, "test/counts");
  std::vector<std::uint32_t> counts;
  Pairs repeated;
  for (std::size_t i = 0; i < 40; ++i) {
    counts.push_back(random.below(4));
    repeated.x.insert(repeated.x.end(), counts.back(), p.x[i]);
    repeated.y.insert(repeated.y.end(), counts.back(), p.y[i]);
  }
  EXPECT_NEAR(*RankCorrelation(p.x, p.y).value(counts), *spearman(repeated.x, repeated.y), 1e-12);
}

// The spread of resampled correlations must be that of fresh samples: 95 % intervals cover the truth about 95 % of the
// time. The truth here is 6/pi asin(rho/2) for a bivariate normal.
TEST(Bootstrap, IntervalsCoverTheTruth) {
  const double pearson_rho = 0.6 / std::sqrt(1.36);
  const double truth = 6 / M_PI * std::asin(pearson_rho / 2);
  Threads threads(2);
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Pairs p = random_pairs(100, 0, seed);
    const Correlation c = correlate(p.x, p.y, {300, seed}, "test", threads);
    covered += *c.low <= truth && truth <= *c.high;
    EXPECT_LE(*c.low, *c.value);
    EXPECT_LE(*c.value, *c.high);
  }
  EXPECT_GE(covered, 180);
  EXPECT_LE(covered, 198);
}

TEST(Bootstrap, DoesNotDependOnThreads) {
  const Pairs p = random_pairs(50, 5, 1);
  Threads one(1), three(3);
  const Correlation a = correlate(p.x, p.y, {100, 7}, "x", one), b = correlate(p.x, p.y, {100, 7}, "x", three);
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
  EXPECT_NE(a.low, correlate(p.x, p.y, {100, 8}, "x", one).low);
}

TEST(Quantile, IsLinearBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(*quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(*quantile({4, 1, 3, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(*quantile({4, 1, 3, 2}, 1), 4);
  EXPECT_DOUBLE_EQ(*median({7}), 7);
  EXPECT_FALSE(median({}).has_value());
}

}  // namespace
}  // namespace firn
