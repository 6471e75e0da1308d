#include "firn/synth/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "firn/circuit/builder.h"
#include "tests/support/expect_error.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

// Parities of six pairs of inputs, each one gate deeper than the one before.
Netlist deep_circuit() {
  NetBuilder builder(7);
  std::vector<Wire> wires = {builder.input(0)};
  for (std::size_t i = 1; i < 7; ++i) wires.push_back(builder.make_xor(wires.back(), builder.input(i)));
  return std::move(builder).take(wires);
}

TEST(Calibrate, DeeperStagesTakeLonger) {
  std::vector<std::size_t> steps;
  const DelayTable table = calibrate(deep_circuit(), "a chain", "osu018", {.seconds = 120},
                                     [&](std::size_t done, std::size_t) { steps.push_back(done); });
  EXPECT_EQ(table.target, "osu018");
  EXPECT_THAT(table.source, HasSubstr("a chain, 6 levels; yosys Yosys"));
  // Six levels make stages of 1, 2, 3 and 6; four would be two stages of three.
  ASSERT_EQ(table.stages.size(), 4u);
  EXPECT_EQ(table.stages.back().levels, 6u);
  EXPECT_GT(table.stages.back().ns, 1.5 * table.stages.front().ns);
  EXPECT_TRUE(std::ranges::is_sorted(table.stages, {}, &StageDelay::ns));
  EXPECT_TRUE(std::ranges::is_sorted(steps));
}

TEST(Calibrate, NeedsATargetWithDelays) {
  EXPECT_THAT(error_of([] { calibrate(deep_circuit(), "", "xilinx", {}); }),
              HasSubstr("no tool here knows the delays"));
}

TEST(CalibrationCircuit, IsDeepAndSmall) {
  const Netlist circuit = calibration_circuit();
  const auto depths = node_depths(circuit);
  EXPECT_GE(*std::ranges::max_element(depths), 24u);
  EXPECT_LT(circuit.gates.size(), 6000u);
  EXPECT_TRUE(is_canonical(circuit));
}

}  // namespace
}  // namespace firn
