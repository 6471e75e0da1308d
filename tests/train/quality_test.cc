#include "firn/train/quality.h"

#include <gtest/gtest.h>

#include <cmath>

#include "firn/base/random.h"

namespace firn {
namespace {

// Every pair of a positive and a negative sample, one after the other.
std::optional<double> area_by_pairs(const std::vector<float>& scores, const std::vector<bool>& is_positive) {
  double wins = 0, pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (!is_positive[i] || is_positive[j]) continue;
      wins += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
      ++pairs;
    }
  if (pairs == 0) return std::nullopt;
  return wins / pairs;
}

TEST(Quality, AreaUnderTheCurveCountsPairsAndTies) {
  RandomSequence random(1, "test/auc");
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t count = 1 + random.below(60);
    const std::uint32_t levels = 1 + random.below(20);  // few levels: many ties
    std::vector<float> scores;
    std::vector<bool> is_positive;
    for (std::size_t i = 0; i < count; ++i) {
      is_positive.push_back(random.below(3) == 0);
      scores.push_back(static_cast<float>(random.below(levels)) - (is_positive.back() ? 0 : 2));
    }
    const auto expected = area_by_pairs(scores, is_positive), actual = area_under_curve(scores, is_positive);
    ASSERT_EQ(actual.has_value(), expected.has_value());
    if (actual) {
      ASSERT_NEAR(*actual, *expected, 1e-12);
    }
  }
}

float probability(const float* sums, std::size_t outputs, std::size_t c) {
  double all = 0;
  for (std::size_t o = 0; o < outputs; ++o) all += std::exp(sums[o]);
  return static_cast<float>(std::exp(sums[c]) / all);
}

// A class sum that is large where those of all classes are says little.
TEST(Quality, AreaOfClassesComparesProbabilities) {
  const std::vector<float> sums = {9, 9, 9, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  EXPECT_EQ(area_under_curve(sums, 3, std::vector<std::uint16_t>{1, 0, 1, 2}), 1);
}

TEST(Quality, EqualOddsAreTies) {
  std::vector<float> sums;
  std::vector<std::uint16_t> labels;
  for (std::uint16_t s = 0; s < 60; ++s) {
    for (const int count : {5, 3, 4}) sums.push_back(static_cast<float>(count + s));
    labels.push_back(s % 3);
  }
  EXPECT_EQ(area_under_curve(sums, 3, labels, 1 / 2.795), 0.5);
}

TEST(Quality, AreaOfClassesIsTheMeanOfThoseThatCanBeTold) {
  RandomSequence random(2, "test/auc of classes");
  for (const std::size_t outputs : {1, 2, 3, 5}) {
    const std::size_t count = 80;
    std::vector<float> sums;
    std::vector<std::uint16_t> labels;
    for (std::size_t s = 0; s < count; ++s) {
      for (std::size_t o = 0; o < outputs; ++o)
        sums.push_back(outputs <= 2 ? static_cast<float>(random.below(9)) : random.normal());
      labels.push_back(static_cast<std::uint16_t>(random.below(outputs <= 2 ? 2 : 3)));  // of five, two never occur
    }
    double total = 0;
    std::size_t counted = 0;
    for (std::size_t c = outputs <= 2 ? 1 : 0; c < std::max<std::size_t>(outputs, 2); ++c) {
      std::vector<float> scores;
      std::vector<bool> is_positive;
      for (std::size_t s = 0; s < count; ++s) {
        const float* sum = &sums[s * outputs];
        scores.push_back(outputs == 1 ? sum[0] : outputs == 2 ? sum[1] - sum[0] : probability(sum, outputs, c));
        is_positive.push_back(labels[s] == c);
      }
      if (const auto area = area_by_pairs(scores, is_positive)) total += *area, ++counted;
    }
    EXPECT_NEAR(*area_under_curve(sums, outputs, labels), total / static_cast<double>(counted), 1e-12) << outputs;
  }
}

TEST(Quality, ComesFromTheConfusionMatrix) {
  // Class 2 never occurs and is predicted once; class 3 neither.
  const Quality q = quality_of(std::vector<std::uint32_t>{6, 2, 0, 0, 1, 10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  ASSERT_EQ(q.classes.size(), 4u);
  EXPECT_EQ(q.classes[0].samples, 8u);
  EXPECT_DOUBLE_EQ(q.classes[0].precision, 6.0 / 7);
  EXPECT_DOUBLE_EQ(q.classes[0].recall, 6.0 / 8);
  EXPECT_DOUBLE_EQ(q.classes[0].f1, 2 * 6.0 / (7 + 8));
  EXPECT_DOUBLE_EQ(q.classes[1].precision, 10.0 / 12);
  EXPECT_DOUBLE_EQ(q.classes[2].precision, 0);
  EXPECT_DOUBLE_EQ(q.classes[2].recall, 0);
  EXPECT_DOUBLE_EQ(q.balanced_accuracy, (6.0 / 8 + 10.0 / 12) / 2);
  EXPECT_DOUBLE_EQ(q.macro_f1, (12.0 / 15 + 20.0 / 24 + 0) / 3);
  EXPECT_FALSE(q.auc.has_value());
}

TEST(Quality, OfValuesIsFarFromZeroAndExact) {
  const std::vector<float> truth = {100001, 100002, 100003, 100004}, predicted = {100001, 100003, 100003, 100002};
  const ValueQuality q = value_quality_of(predicted, truth);
  EXPECT_DOUBLE_EQ(q.r2, 1 - 5.0 / 5.0);
  EXPECT_DOUBLE_EQ(q.rmse, std::sqrt(5.0 / 4));
  EXPECT_DOUBLE_EQ(q.mae, 0.75);
  EXPECT_DOUBLE_EQ(value_quality_of(truth, truth).r2, 1);
}

}  // namespace
}  // namespace firn
