#include "firn/synth/delays.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

const DelayTable kTable{"osu018", "made up", {{1, 0.6}, {2, 0.8}, {4, 1.0}, {8, 2.0}}};

TEST(PeriodOf, LiesBetweenEntriesInProportionAndGoesOnBeyondTheLast) {
  EXPECT_DOUBLE_EQ(period_of(kTable, 1), 0.6);
  EXPECT_DOUBLE_EQ(period_of(kTable, 3), 0.9);
  EXPECT_DOUBLE_EQ(period_of(kTable, 8), 2.0);
  EXPECT_DOUBLE_EQ(period_of(kTable, 12), 3.0);
}

TEST(PeriodOf, BelowTheFirstEntryNothingIsPromisedButTheEntry) {
  EXPECT_DOUBLE_EQ(period_of({"t", "", {{4, 1.0}, {8, 2.0}}}, 1), 1.0);
  EXPECT_DOUBLE_EQ(period_of({"t", "", {{4, 1.0}}}, 8), 2.0);
}

TEST(StagesForClock, AreTheFewestThatSuit) {
  const PipelineChoice one = stages_for_clock(kTable, 8, 2.0);
  EXPECT_EQ(one.stages, 1u);
  EXPECT_EQ(one.levels, 8u);
  const PipelineChoice more = stages_for_clock(kTable, 100, 1.0);  // at most four levels
  EXPECT_EQ(more.stages, 25u);
  EXPECT_EQ(more.levels, 4u);
  EXPECT_DOUBLE_EQ(more.ns, 1.0);
  // One stage fewer would be too slow.
  EXPECT_GT(period_of(kTable, (100 + 23) / 24), 1.0);
  EXPECT_EQ(stages_for_clock(kTable, 0, 0.7).stages, 1u);
}

TEST(StagesForClock, RefuseAClockThatNoStageMeets) {
  EXPECT_THAT(error_of([] { stages_for_clock(kTable, 10, 0.5); }),
              HasSubstr("a stage with a single level of gates takes 0.60 ns"));
}

TEST(ParseClock, KnowsPeriodsAndFrequencies) {
  EXPECT_DOUBLE_EQ(parse_clock("5ns"), 5);
  EXPECT_DOUBLE_EQ(parse_clock("800ps"), 0.8);
  EXPECT_DOUBLE_EQ(parse_clock("0.5us"), 500);
  EXPECT_DOUBLE_EQ(parse_clock("200MHz"), 5);
  EXPECT_DOUBLE_EQ(parse_clock("1GHz"), 1);
  for (const char* wrong : {"", "5", "ns", "-1ns", "0ns", "5 ns", "5nsx", "nanns", "infns"})
    EXPECT_THAT(error_of([&] { parse_clock(wrong); }), HasSubstr("is not a clock"));
}

TEST(DelaysText, ComesBack) {
  const std::vector<DelayTable> tables = {kTable, {"ice40", "made up as well", {{3, 4.125}}}};
  EXPECT_EQ(parse_delays(delays_text(tables), "a.json"), tables);
}

TEST(ParseDelays, FindsEveryFlippedBit) {
  const std::string text = delays_text(std::vector{kTable});
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string damaged = text;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_THAT(error_of([&] { parse_delays(damaged, "a.json"); }), HasSubstr("a.json is ")) << "bit " << bit;
  }
}

TEST(ParseDelays, TakesFilesOfEarlierVersionsAndThoseThatWereEdited) {
  const std::string tables =
      R"("tables": [{"source": "made up", "stages": [{"levels": 1, "ns": 0.5}], "target": "osu018"}]})";
  const std::vector<DelayTable> expected = {{"osu018", "made up", {{1, 0.5}}}};
  EXPECT_EQ(parse_delays("{\n \"format\": \"firn-delays\",\n " + tables, "a.json"), expected);
  EXPECT_EQ(parse_delays("{\n  \"format\": \"firn-delays\",\n  " + tables, "a.json"), expected);
  EXPECT_EQ(parse_delays("{" + tables, "a.json"), expected);
  std::string edited = delays_text(expected);
  edited.replace(edited.find("0.5"), 3, "0.7");
  EXPECT_THAT(error_of([&] { parse_delays(edited, "a.json"); }),
              HasSubstr("if you have edited it, remove \"format\" and \"checksum\""));
  for (const char* member : {"checksum", "format"}) {
    const std::size_t line = edited.find(fmt::format("  \"{}\"", member));
    edited.erase(line, edited.find('\n', line) + 1 - line);
  }
  EXPECT_EQ(parse_delays(edited, "a.json").at(0).stages.at(0).ns, 0.7);
}

TEST(ParseDelays, RefusesWhatIsNoTable) {
  const auto refused = [](const std::string& text, const char* reason) {
    EXPECT_THAT(error_of([&] { parse_delays(text, "a.json"); }), HasSubstr(reason));
  };
  refused("", "a.json is not a table of delays");
  refused("{}", "something is missing");
  refused(R"({"format": "other", "tables": []})", "its format is not firn delays 1");
  const std::string text =
      R"({"format": "firn-delays", "tables": [{"source": "made up", "stages": [{"levels": 1, "ns": 0.6},)"
      R"({"levels": 2, "ns": 0.8}], "target": "osu018"}]})";
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string copy = text;
    return copy.replace(copy.find(from), from.size(), to);
  };
  refused(changed("0.6", "-0.6"), "must be positive and ascend");
  refused(changed("0.6", "0.9"), "must be positive and ascend");
  refused(changed("\"levels\": 2", "\"levels\": 1"), "must be positive and ascend");
  refused(R"({"format": "firn-delays", "tables": [{"target": "t", "source": "", "stages": []}]})", "t has no stages");
}

TEST(BuiltInDelays, AreTablesLikeThoseOfFiles) {
  for (const char* target : {"osu018", "ice40"}) EXPECT_FALSE(delays_of(built_in_delays(), target).stages.empty());
  for (const DelayTable& table : built_in_delays())
    EXPECT_EQ(parse_delays(delays_text(std::vector{table}), "built in"), std::vector{table});
  EXPECT_THAT(error_of([] { delays_of(built_in_delays(), "xilinx"); }), HasSubstr("osu018"));
}

}  // namespace
}  // namespace firn
