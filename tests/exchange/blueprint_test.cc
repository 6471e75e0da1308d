#include "firn/exchange/blueprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/random_netlists.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

// x[0] and not x[1]; x[1]
Netlist small() {
  return {2, {{Wire(1, false), Wire(2, true), Gate::kAnd, 0}}, {Wire(3, false), Wire(2, false)}};
}

TEST(BlueprintTest, NamesDecideTheOrder) {
  const ParsedCircuit swapped{{2, {{Wire(2, false), Wire(1, true), Gate::kAnd, 0}}, {Wire(1, false), Wire(3, false)}},
                              {"x[1]", "x[0]"},
                              {"y[1]", "y[0]"}};
  EXPECT_EQ(in_bus_order(swapped, 2, 2, "file"), small());
}

TEST(BlueprintTest, WithoutNamesThePositionCounts) {
  EXPECT_EQ(in_bus_order({small(), {}, {}}, 2, 2, "file"), small());
}

TEST(BlueprintTest, TheOnlyBitOfABusMayHaveItsName) {
  const ParsedCircuit inverter{{1, {}, {Wire(1, true)}}, {"x"}, {"y"}};
  EXPECT_EQ(in_bus_order(inverter, 1, 1, "file"), inverter.netlist);
}

TEST(BlueprintTest, MillionsOfInputsTakeMillionsOfBytes) {
  EXPECT_EQ(most_inputs(0), 1u << 18);
  EXPECT_EQ(most_inputs(2'000'000), 2'000'000u);
  EXPECT_EQ(most_inputs(std::size_t{1} << 40), 1u << 26);
}

TEST(BlueprintTest, WhatDoesNotFitIsRefused) {
  EXPECT_THAT(error_of([] { in_bus_order({small(), {}, {}}, 3, 2, "file"); }), HasSubstr("2 inputs"));
  EXPECT_THAT(error_of([] { in_bus_order({small(), {"x[0]", "x[0]"}, {}}, 2, 2, "file"); }), HasSubstr("duplicated"));
  EXPECT_THAT(error_of([] { in_bus_order({small(), {"x[0]", "clk"}, {}}, 2, 2, "file"); }), HasSubstr("\"clk\""));
  EXPECT_THAT(error_of([] { in_bus_order({small(), {"x[0]", "x[2]"}, {}}, 2, 2, "file"); }), HasSubstr("x[2]"));
}

}  // namespace
}  // namespace firn
