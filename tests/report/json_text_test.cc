#include "firn/report/json_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace firn {
namespace {

TEST(JsonText, NumbersAreShortAndMissingOnesNull) {
  ReportRecord report;
  RunRecord& run = report.runs.emplace_back();
  run.learning.step = {1000000, 2000000};
  run.learning.relaxed_accuracy = {1.0 / 3, std::numeric_limits<double>::quiet_NaN()};
  run.freezing.all = {2.0 / 3};
  const auto json = nlohmann::json::parse(to_json_text(report));
  const auto& learning = json["runs"][0]["learning"];
  EXPECT_EQ(learning["step"].dump(), "[1000000,2000000]");
  EXPECT_EQ(learning["relaxed_accuracy"].dump(), "[0.333333,null]");
  EXPECT_EQ(json["runs"][0]["freezing"]["all"].dump(), "[0.6667]");
  EXPECT_TRUE(json["runs"][0]["last"].is_null());
}

TEST(JsonText, NamesAreAnyBytes) {
  ReportRecord report;
  report.title = "a\xff\"\n";
  EXPECT_EQ(nlohmann::json::parse(to_json_text(report))["title"], "a\ufffd\"\n");
}

}  // namespace
}  // namespace firn
