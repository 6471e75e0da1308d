#include "firn/diagnose/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace firn {
namespace {

using nlohmann::json;

TEST(Summary, MeansGoNumberByNumber) {
  const json a = {{"conv1", {{"value", 1}, {"interval", {0, 2}}}}, {"rates", {1, 5}}, {"split", "val"}};
  const json b = {{"conv1", {{"value", 4}, {"interval", {3, 5}}}}, {"rates", {3, nullptr}}, {"split", "val"}};
  const json mean = mean_of({a, b});
  EXPECT_EQ(mean, (json{{"conv1", {{"value", 2.5}}}, {"rates", {2.0, 5.0}}, {"split", "val"}}));
}

TEST(Summary, ALayerThatIsMissingOnceIsLeftOutOfItsMean) {
  const json a = {{"effects", {{"conv1", 1.0}}}}, b = {{"effects", {{"conv1", 2.0}, {"conv2", 7.0}}}};
  const json mean = mean_of({a, b});
  EXPECT_EQ(mean["effects"]["conv1"], 1.5);
  EXPECT_EQ(mean["effects"]["conv2"], 7.0);
}

TEST(Summary, SpreadHasTheSampleStandardDeviation) {
  const json spread = spread_of({json{{"x", 1.0}}, json{{"x", 2.0}}, json{{"x", 4.5}}});
  EXPECT_DOUBLE_EQ(spread["x"]["mean"], 2.5);
  EXPECT_DOUBLE_EQ(spread["x"]["sd"], std::sqrt((1.5 * 1.5 + 0.5 * 0.5 + 2 * 2) / 2));
  EXPECT_EQ(spread["x"]["count"], 3);
  EXPECT_TRUE(spread_of({json{{"x", 1.0}}})["x"]["sd"].is_null());
}

TEST(Summary, PartsThatWereNotMeasuredAreNotThere) {
  Diagnosis diagnosis;
  diagnosis.samples = 7;
  EXPECT_EQ(summary_of(diagnosis), (json{{"samples", 7}}));
}

}  // namespace
}  // namespace firn
