#include "firn/synth/estimate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "firn/circuit/builder.h"
#include "firn/circuit/simplify.h"
#include "tests/support/random_netlists.h"

namespace firn {
namespace {

// A chain that reads one more input with every gate.
Netlist chain(std::size_t inputs) {
  NetBuilder builder(inputs);
  Wire wire = builder.input(0);
  for (std::size_t i = 1; i < inputs; ++i) wire = builder.make_and(wire, builder.input(i));
  return std::move(builder).take({wire});
}

TEST(LutLevelsEstimate, ATableHoldsWhatDependsOnSixInputs) {
  EXPECT_EQ(lut_levels_estimate(chain(1), 6), 0u);
  EXPECT_EQ(lut_levels_estimate(chain(2), 6), 1u);
  EXPECT_EQ(lut_levels_estimate(chain(6), 6), 1u);
  EXPECT_EQ(lut_levels_estimate(chain(7), 6), 2u);
  EXPECT_EQ(lut_levels_estimate(chain(11), 6), 2u);  // each further table takes five new inputs
  EXPECT_EQ(lut_levels_estimate(chain(12), 6), 3u);
  EXPECT_EQ(lut_levels_estimate(chain(7), 4), 2u);
  EXPECT_EQ(lut_levels_estimate(chain(8), 4), 3u);
}

TEST(LutLevelsEstimate, SharedWiresDoNotCountTwice) {
  NetBuilder builder(6);  // every pair of six inputs, then all of these: still a function of six inputs
  Wire all = kTrue;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < i; ++j)
      all = builder.make_and(all, builder.make_xor(builder.input(i), builder.input(j)));
  EXPECT_EQ(lut_levels_estimate(std::move(builder).take({all}), 6), 1u);
}

TEST(LutLevelsEstimate, FallsWithTheSizeOfTablesAndIsNeverAboveTheDepth) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Netlist netlist = random_netlist(20, 300, 10, seed);
    simplify(netlist);
    const auto depths = node_depths(netlist);
    std::uint32_t depth = 0;
    for (Wire output : netlist.outputs) depth = std::max(depth, depths[output.node()]);
    const std::size_t six = lut_levels_estimate(netlist, 6), four = lut_levels_estimate(netlist, 4);
    EXPECT_LE(six, four);
    EXPECT_LE(four, lut_levels_estimate(netlist, 2));
    EXPECT_LE(lut_levels_estimate(netlist, 2), depth);
  }
}

TEST(AreaAndDelay, XorsCostMoreThanAnds) {
  NetBuilder ands(2), xors(2);
  const Wire both = ands.make_and(ands.input(0), ands.input(1)), one = xors.make_xor(xors.input(0), xors.input(1));
  const Netlist plain = std::move(ands).take({both}), exclusive = std::move(xors).take({one});
  EXPECT_LT(nand2_estimate(plain), nand2_estimate(exclusive));
  EXPECT_LT(delay_estimate(plain), delay_estimate(exclusive));
}

TEST(AreaAndDelay, GrowWithTheCircuit) {
  EXPECT_EQ(nand2_estimate(chain(1)), 0);
  EXPECT_EQ(delay_estimate(chain(1)), 0);
  EXPECT_NEAR(nand2_estimate(chain(9)), 2 * nand2_estimate(chain(5)), 1e-9);
  EXPECT_LT(delay_estimate(chain(5)), delay_estimate(chain(9)));
}

}  // namespace
}  // namespace firn
