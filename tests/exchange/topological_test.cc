#include "firn/exchange/topological.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/expect_error.h"
#include "tests/support/random_netlists.h"

namespace firn {
namespace {

TEST(TopologicalTest, AnyOrderIsPutRight) {
  // The first gate reads the second.
  Netlist netlist{2,
                  {{Wire(4, true), Wire(1, false), Gate::kAnd, 0}, {Wire(1, false), Wire(2, false), Gate::kXor, 0}},
                  {Wire(3, true)}};
  sort_topologically(netlist, "file");
  check_netlist(netlist, "test");
  const Netlist expected{
      2,
      {{Wire(1, false), Wire(2, false), Gate::kXor, 0}, {Wire(3, true), Wire(1, false), Gate::kAnd, 0}},
      {Wire(4, true)}};
  EXPECT_EQ(netlist, expected);
}

TEST(TopologicalTest, CyclesAreRefused) {
  Netlist netlist{1, {{Wire(1, false), Wire(2, false), Gate::kAnd, 0}}, {Wire(2, false)}};
  EXPECT_THAT(error_of([&] { sort_topologically(netlist, "file"); }),
              ::testing::HasSubstr("file: the circuit is cyclic"));
}

TEST(TopologicalTest, DepthsRiseAndTheFunctionStays) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Netlist netlist = random_netlist(6, 80, 7, seed);
    Netlist sorted = netlist;
    sort_by_depth(sorted);
    check_netlist(sorted, "test");
    EXPECT_TRUE(std::ranges::is_sorted(node_depths(sorted)));
    const auto in = random_words(6, 1, seed);
    EXPECT_TRUE(same_rows(simulate(sorted, in), simulate(netlist, in))) << seed;
  }
}

}  // namespace
}  // namespace firn
