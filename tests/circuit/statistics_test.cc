#include "firn/circuit/statistics.h"

#include <gtest/gtest.h>

#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"
#include "tests/support/random_networks.h"

namespace firn {
namespace {

// One filter of a single gate, the AND of the left and right neighbour, on a line of four pixels with padding.
BooleanNetwork line_network() {
  BooleanNetwork network;
  network.input = {1, 3, 4};
  BooleanLayer conv;
  conv.wiring.name = "conv";
  conv.wiring.input = conv.wiring.output = {1, 3, 4};
  conv.wiring.window = {3, 3};
  conv.wiring.padding = {1, 1};
  conv.wiring.tap_channel = {0, 0};
  conv.wiring.tap_place = {3, 5};  // the middle line of the window
  conv.gates = {Gate::kAnd};
  network.layers = {conv};
  return network;
}

TEST(Statistics, PaddingIsFoldedInTheCircuitButChargedByTheCountWithAdders) {
  const BooleanNetwork network = line_network();
  Netlist netlist = lower(network);
  simplify(netlist);
  EXPECT_EQ(netlist.gates.size(), 3u * 2);  // in each line the first and the last position see a zero
  const CircuitCost cost = circuit_cost(netlist, network);
  EXPECT_EQ(cost.layers[0].unrolled, 12u);
  EXPECT_EQ(cost.layers[0].gates(), 6u);
  EXPECT_EQ(cost.depth, 1u);
  EXPECT_EQ(gates_with_adders(network), 12u + 7 * 12);
}

TEST(Statistics, LayersAddUpToTheCircuit) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const BooleanNetwork network = random_network(seed);
    Netlist netlist = lower(network);
    simplify(netlist);
    const CircuitCost cost = circuit_cost(netlist, network);
    std::size_t gates = 0, unrolled = 0;
    for (const LayerCost& layer : cost.layers) {
      gates += layer.gates();
      unrolled += layer.unrolled;
    }
    EXPECT_EQ(gates, netlist.gates.size());
    EXPECT_EQ(unrolled, unrolled_gates(network));
    EXPECT_LE(cost.luts, gates);
  }
}

TEST(Statistics, TablesSwallowTrees) {
  // A chain of five single-use ANDs of six inputs is one table, a sixth gate starts another.
  Netlist chain{7, {}, {}};
  Wire last = chain.input(0);
  for (std::size_t i = 1; i < 7; ++i) {
    chain.gates.push_back({last, chain.input(i), Gate::kAnd});
    last = chain.gate(i - 1);
  }
  chain.outputs = {last};
  EXPECT_EQ(lut_estimate(chain), 2u);
  chain.gates.pop_back();
  chain.outputs = {chain.gate(4)};
  EXPECT_EQ(lut_estimate(chain), 1u);
  chain.outputs.push_back(chain.gate(2));  // needed outside: it must be a table of its own
  EXPECT_EQ(lut_estimate(chain), 2u);
}

TEST(NodeDepths, CountGatesFromTheInputs) {
  const Netlist netlist{
      2, {{Wire(1, false), Wire(2, false), Gate::kAnd}, {Wire(3, true), Wire(1, false), Gate::kXor}}, {Wire(4, false)}};
  EXPECT_EQ(node_depths(netlist), (std::vector<std::uint32_t>{0, 0, 0, 1, 2}));
}

}  // namespace
}  // namespace firn
