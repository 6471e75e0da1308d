// Every pass on thousands of random networks: the netlist computes what the network computes, before and after.
#include <gtest/gtest.h>

#include "firn/circuit/lower.h"
#include "firn/circuit/passes/constants.h"
#include "firn/circuit/passes/dead.h"
#include "firn/circuit/passes/inverters.h"
#include "firn/circuit/passes/sharing.h"
#include "firn/circuit/simplify.h"
#include "tests/support/random_networks.h"

namespace firn {
namespace {

TEST(Passes, KeepWhatThousandsOfNetworksCompute) {
  std::size_t before = 0, after = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const BooleanNetwork network = random_network(seed);
    check_network(network, "test");
    const auto in = random_words(network.input.size(), 1, seed);
    const auto expected = evaluate_slowly(network, in);
    Netlist netlist = lower(network);
    ASSERT_TRUE(same_rows(simulate(netlist, in), expected)) << "lowering, seed " << seed;
    EXPECT_EQ(netlist.gates.size(), unrolled_gates(network));
    before += netlist.gates.size();
    for (const Pass& pass : passes()) {  // from different starting points, the raw netlist included
      Netlist alone = lower(network);
      pass.run(alone);
      check_netlist(alone, "test");
      ASSERT_TRUE(same_rows(simulate(alone, in), expected)) << pass.name << " alone, seed " << seed;
      pass.run(netlist);
      check_netlist(netlist, "test");
      ASSERT_TRUE(same_rows(simulate(netlist, in), expected)) << pass.name << " in turn, seed " << seed;
    }
    simplify(netlist);
    ASSERT_TRUE(same_rows(simulate(netlist, in), expected)) << "fixpoint, seed " << seed;
    ASSERT_TRUE(is_canonical(netlist)) << seed;
    after += netlist.gates.size();
    const Netlist fixpoint = netlist;
    for (const Pass& pass : passes()) {
      pass.run(netlist);
      ASSERT_EQ(netlist, fixpoint) << pass.name << " still changes something, seed " << seed;
    }
  }
  EXPECT_LT(after, before / 2);  // random gates simplify well
  EXPECT_GT(after, before / 50);
}

Netlist two_inputs(std::vector<NetGate> gates, std::vector<Wire> outputs) {
  return {2, std::move(gates), std::move(outputs)};
}
constexpr Wire kX{1, false}, kY{2, false}, kFirst{3, false}, kSecond{4, false}, kThird{5, false};

TEST(Constants, FoldConstantAndEqualOperands) {
  Netlist netlist = two_inputs({{kX, kTrue, Gate::kAnd}, {kX, !kX, Gate::kXor}, {kFirst, kX, Gate::kNor}},
                               {kFirst, kSecond, kThird, !kSecond});
  fold_constants(netlist);
  EXPECT_TRUE(netlist.gates.empty());
  EXPECT_EQ(netlist.outputs, (std::vector<Wire>{kX, kTrue, !kX, kFalse}));
}

TEST(Inverters, VanishIntoTheGateBehindThem) {
  Netlist netlist = two_inputs({{kX, kY, Gate::kNotA}, {kX, kY, Gate::kNand}, {kFirst, kSecond, Gate::kOr}}, {kThird});
  absorb_inverters(netlist);
  ASSERT_EQ(netlist.gates.size(), 2u);
  EXPECT_EQ(netlist.gates[0], (NetGate{kX, kY, Gate::kAnd}));
  EXPECT_EQ(netlist.gates[1], (NetGate{kX, kFirst, Gate::kAnd}));  // not (x and (x and y)) = not x or not (x and y)
  EXPECT_EQ(netlist.outputs[0], !kSecond);
}

TEST(Sharing, SeesThroughOrderAndInverters) {
  Netlist netlist = two_inputs({{kX, kY, Gate::kAndNot}, {kY, kX, Gate::kNotOr}, {!kX, !kY, Gate::kNotAnd}},
                               {kFirst, kSecond, kThird});
  share_equal_gates(netlist);  // y implies x is the complement of (y and not x); the others are x and not y
  ASSERT_EQ(netlist.gates.size(), 2u);
  EXPECT_EQ(netlist.outputs[2], kFirst);
}

TEST(Sharing, JoinsAGateAndItsComplement) {
  Netlist netlist =
      two_inputs({{kX, kY, Gate::kXor}, {kY, !kX, Gate::kXor}, {kY, kX, Gate::kXnor}}, {kFirst, kSecond, kThird});
  share_equal_gates(netlist);
  EXPECT_EQ(netlist.gates.size(), 1u);
  EXPECT_EQ(netlist.outputs, (std::vector<Wire>{kFirst, !kFirst, !kFirst}));
}

TEST(Dead, RemovesWhatNoOutputNeeds) {
  Netlist netlist = two_inputs({{kX, kY, Gate::kXor}, {kX, kY, Gate::kAnd}, {kFirst, kX, Gate::kOr}}, {!kSecond});
  remove_dead_gates(netlist);
  ASSERT_EQ(netlist.gates.size(), 1u);
  EXPECT_EQ(netlist.gates[0].op, Gate::kAnd);
  EXPECT_EQ(netlist.outputs[0], !kFirst);
}

TEST(Simplify, CountsWhatEachPassRemoves) {
  Netlist netlist = lower(random_network(7));
  const std::size_t before = netlist.gates.size();
  const SimplifyStats stats = simplify(netlist);
  std::size_t removed = 0;
  for (const PassStats& pass : stats.passes) removed += pass.removed;
  EXPECT_EQ(stats.gates_before, before);
  EXPECT_EQ(stats.gates_after, netlist.gates.size());
  EXPECT_EQ(before - removed, netlist.gates.size());
  EXPECT_GE(stats.gates_unshared, stats.gates_after);
}

}  // namespace
}  // namespace firn
