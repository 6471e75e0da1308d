// The tools themselves, on circuits whose costs are known.
#include "firn/synth/target.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>

#include "firn/circuit/builder.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using State = TargetResult::State;

// Each output is the parity of as many inputs of its own, one after the other.
Netlist parities(std::size_t outputs, std::size_t width = 4) {
  NetBuilder builder(width * outputs);
  std::vector<Wire> wires;
  for (std::size_t o = 0; o < outputs; ++o) {
    Wire wire = builder.input(width * o);
    for (std::size_t i = 1; i < width; ++i) wire = builder.make_xor(wire, builder.input(width * o + i));
    wires.push_back(wire);
  }
  return std::move(builder).take(wires);
}

TargetResult measured(const Design& design, const char* target) {
  TargetResult result = measure(design, find_target(target), {.seconds = 120});
  EXPECT_EQ(result.state, State::kMeasured) << fmt::format("{}", fmt::join(result.measurement.notes, "; "));
  return result;
}

// A PATH on which only some programs are.
class ShortPath {
 public:
  explicit ShortPath(const std::vector<std::string>& programs) : earlier_(::getenv("PATH")) {
    for (const std::string& program : programs)
      std::filesystem::create_symlink("/usr/bin/" + program, folder_.path() / program);
    ::setenv("PATH", folder_.path().c_str(), 1);
  }
  ~ShortPath() { ::setenv("PATH", earlier_.c_str(), 1); }

 private:
  TemporaryFolder folder_;
  std::string earlier_;
};

TEST(Targets, AParityOfFourIsOneTable) {
  for (const char* target : {"xilinx", "abc"}) {
    const TargetResult result = measured({parities(3), 0}, target);
    EXPECT_EQ(result.measurement.values[0], 3) << target;
    EXPECT_EQ(result.measurement.values[1], 1) << target;
    EXPECT_EQ(result.estimates[0], 3) << target;
    EXPECT_EQ(result.estimates[1], 1) << target;
  }
}

TEST(Targets, Ice40PlacesAndRoutesWhatFits) {
  const TargetResult result = measured({parities(3), 0}, "ice40");
  EXPECT_EQ(result.value("lut4"), 3);
  EXPECT_EQ(result.value("lut4_levels"), 1);
  ASSERT_TRUE(result.value("hx8k_ns"));
  EXPECT_GT(*result.value("hx8k_ns"), 0.5);
  EXPECT_LT(*result.value("hx8k_ns"), 10);
}

TEST(Targets, Osu018KnowsAreaAndDelay) {
  const TargetResult result = measured({parities(3), 0}, "osu018");
  // Nine XORs of 56 um2; the tools may find XNORs and inverters instead.
  EXPECT_GE(*result.value("area_um2"), 9 * 56);
  EXPECT_LE(*result.value("area_um2"), 1.5 * 9 * 56);
  EXPECT_DOUBLE_EQ(*result.value("nand2"), *result.value("area_um2") / 24);
  EXPECT_EQ(result.value("registers"), 0);
  EXPECT_GT(*result.value("delay_ns"), 0.1);
  EXPECT_LT(*result.value("delay_ns"), 2);
}

TEST(Targets, RegistersCutPathsAndTakeArea) {
  const TargetResult whole = measured({parities(2, 16), 1}, "osu018"), cut = measured({parities(2, 16), 5}, "osu018");
  EXPECT_EQ(whole.value("registers"), 2);  // behind the outputs
  EXPECT_GT(*cut.value("registers"), 2);
  EXPECT_LT(*cut.value("delay_ns"), *whole.value("delay_ns"));
  EXPECT_GT(*cut.value("area_um2"), *whole.value("area_um2"));
  EXPECT_FALSE(cut.estimates[1]);  // ours are of combinational circuits
  EXPECT_EQ(measured({parities(2, 16), 5}, "xilinx").value("lut6_levels"), 1);
  EXPECT_EQ(measured({parities(2, 16), 5}, "ice40").value("lut4_levels"), 1);
  EXPECT_THAT(measured({parities(2), 3}, "abc").measurement.notes, Contains(HasSubstr("combinational circuits only")));
}

TEST(Targets, WhatDoesNotFitIsNotRouted) {
  const TargetResult result = measured({parities(2000), 0}, "ice40");
  EXPECT_EQ(result.value("lut4"), 2000);
  EXPECT_FALSE(result.value("hx8k_ns"));
  EXPECT_THAT(result.measurement.notes, Contains(HasSubstr("takes up to 12,000 logic cells, and an HX8K has 7,680")));
}

TEST(Targets, MissingToolsAreSkippedByName) {
  const ShortPath path({});
  for (const TargetEntry& target : targets()) {
    const TargetResult result = measure({parities(1), 0}, target, {});
    EXPECT_EQ(result.state, State::kSkipped) << target.name;
    EXPECT_THAT(result.measurement.notes, Contains(HasSubstr("Debian package"))) << target.name;
    EXPECT_TRUE(std::ranges::none_of(result.measurement.values, [](const auto& value) { return value.has_value(); }));
    EXPECT_TRUE(std::ranges::any_of(result.estimates, [](const auto& value) { return value.has_value(); }));
  }
}

TEST(Targets, WithoutTimingThereIsStillAnArea) {
  const ShortPath path({"yosys", "berkeley-abc", "sh", "rm"});
  const TargetResult result = measured({parities(1), 0}, "osu018");
  EXPECT_TRUE(result.value("area_um2"));
  EXPECT_FALSE(result.value("delay_ns"));
  EXPECT_THAT(result.measurement.notes, Contains("sta is not installed (Debian package opensta)"));
}

TEST(Targets, ATimeOutIsAResult) {
  const TargetResult result = measure({parities(1), 0}, find_target("xilinx"), {.seconds = 1e-3});
  EXPECT_EQ(result.state, State::kTimedOut);
  EXPECT_THAT(result.measurement.notes, Contains(HasSubstr("yosys had not finished")));
}

TEST(Targets, AnInterruptionIsNot) {
  EXPECT_THROW(measure({parities(1), 0}, find_target("xilinx"), {.may_go_on = [] { return false; }}), Stopped);
}

TEST(Targets, UnknownOnesAreRefused) {
  EXPECT_THAT(error_of([] { find_target("gf180"); }), HasSubstr("xilinx"));
}

}  // namespace
}  // namespace firn
