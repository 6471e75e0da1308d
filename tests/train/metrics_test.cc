#include "firn/train/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "firn/model/build.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

TEST(GapsTest, TheTwoPartsAddUpAndPositiveIsWorse) {
  const Gaps gaps{{1.0, 0.9}, {1.5, 0.8}, {1.25, 0.85}};
  EXPECT_DOUBLE_EQ(gaps.selection().loss, 0.5);
  EXPECT_DOUBLE_EQ(gaps.computation().loss, -0.25);
  EXPECT_DOUBLE_EQ(gaps.discretization().loss, 0.25);
  EXPECT_NEAR(gaps.selection().accuracy, 0.1, 1e-15);
  EXPECT_NEAR(gaps.computation().accuracy, -0.05, 1e-15);
  EXPECT_NEAR(gaps.discretization().accuracy, 0.05, 1e-15);
}

TEST(MetricsTest, FrozenNeuronsCountAsCertain) {
  const auto model = build_model({.family = "dense", .width = 16, .layers = 2, .init = "gaussian"}, {8, 1, 1}, 2, 1);
  Threads threads(1);
  const double before = measure_layers(*model, 1, threads)[0].entropy;
  Neurons& first = *model->neurons()[0];
  for (std::size_t i = 0; i < first.count() / 2; ++i) first.frozen[i] = 1;
  const auto layers = measure_layers(*model, 1, threads);
  EXPECT_GT(before, 0);
  EXPECT_LT(layers[0].entropy, before);
  EXPECT_DOUBLE_EQ(layers[0].frozen, 0.5);
  EXPECT_DOUBLE_EQ(layers[1].frozen, 0);
  EXPECT_DOUBLE_EQ(frozen_fraction(*model, std::vector<std::size_t>{0, 1}), 0.25);
}

TEST(MetricsTest, TheLineForPeopleHasWhatMatters) {
  Metrics metrics;
  metrics.step = 12000;
  metrics.risks = {{0.5, 0.75}, {0.6, 0.7}, {0.6, 0.7}};
  metrics.resampled = 7;
  EXPECT_THAT(to_line(metrics), HasSubstr("step  12,000"));
  EXPECT_THAT(to_line(metrics), HasSubstr("relaxed 75.00 %  discrete 70.00 %"));
  EXPECT_THAT(to_line(metrics), HasSubstr("resampled 7"));
  EXPECT_NEAR(to_json(metrics)["gap"]["accuracy"].get<double>(), 0.05, 1e-12);
}

}  // namespace
}  // namespace firn
