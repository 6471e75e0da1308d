#include "firn/circuit/unvisited.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"
#include "tests/support/random_networks.h"

namespace firn {
namespace {

using ::testing::ElementsAre;

constexpr Wire kLeft{1, false}, kRight{2, false}, kGate{3, false};

// The samples are the bits of two words, one for each input.
Matrix<std::uint64_t> two_rows(std::uint64_t x, std::uint64_t y) {
  Matrix<std::uint64_t> in(2, 1);
  in[0][0] = x;
  in[1][0] = y;
  return in;
}

Netlist pruned(Gate gate, std::uint64_t x, std::uint64_t y, std::size_t samples) {
  Netlist netlist{2, {{kLeft, kRight, gate}}, {kGate}};
  VisitedRows rows(netlist);
  rows.visit(two_rows(x, y), samples);
  prune_unvisited(netlist, rows.masks());
  return netlist;
}

TEST(VisitedRows, AreThoseThatSamplesShow) {
  const Netlist netlist{2, {{kLeft, !kRight, Gate::kAnd}}, {kGate}};
  VisitedRows rows(netlist);
  rows.visit(two_rows(0b01, 0b11), 2);  // (1, not 1) and (0, not 1)
  EXPECT_THAT(rows.masks(), ElementsAre(0b0101));
  EXPECT_EQ(rows.unvisited(), 2u);
  rows.visit(two_rows(0b1, 0b0), 1);  // the bits behind the sample show nothing
  EXPECT_THAT(rows.masks(), ElementsAre(0b1101));
}

TEST(PruneUnvisited, MakesConstantsAndWiresOfGates) {
  EXPECT_THAT(pruned(Gate::kAnd, 0b001, 0b110, 3).outputs, ElementsAre(kFalse));
  EXPECT_THAT(pruned(Gate::kAnd, 0b001, 0b011, 3).outputs, ElementsAre(kLeft));  // x without y never occurs
  EXPECT_THAT(pruned(Gate::kXor, 0b001, 0b110, 3).outputs, ElementsAre(kTrue));
  EXPECT_THAT(pruned(Gate::kNand, 0b001, 0b011, 3).outputs, ElementsAre(!kLeft));
}

TEST(PruneUnvisited, MakesAndsOfXors) {
  const Netlist netlist = pruned(Gate::kXor, 0b001, 0b010, 3);  // never both
  ASSERT_EQ(netlist.gates.size(), 1u);
  EXPECT_EQ(netlist.gates[0].op, Gate::kAnd);
}

TEST(PruneUnvisited, KeepsGatesAllOfWhoseRowsOccur) {
  EXPECT_EQ(pruned(Gate::kXor, 0b0011, 0b0101, 4).gates.size(), 1u);
}

TEST(PruneUnvisited, KeepsEveryWireOnEverySampleOfThousandsOfNetworks) {
  std::size_t before = 0, after = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const BooleanNetwork network = random_network(seed);
    const auto in = random_words(network.input.size(), 1, seed);
    Netlist netlist = lower(network);
    simplify(netlist);
    const std::size_t samples = 1 + seed % 20;
    const auto expected = simulate(netlist, in);
    before += netlist.gates.size();
    VisitedRows rows(netlist);
    rows.visit(in, samples);
    prune_unvisited(netlist, rows.masks());
    after += netlist.gates.size();
    const auto found = simulate(netlist, in);
    const std::uint64_t valid = (std::uint64_t{1} << samples) - 1;
    for (std::size_t o = 0; o < expected.rows(); ++o)
      ASSERT_EQ(expected[o][0] & valid, found[o][0] & valid) << "seed " << seed;
  }
  EXPECT_LT(after, before / 2);
}

}  // namespace
}  // namespace firn
