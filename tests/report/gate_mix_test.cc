#include "firn/report/gate_mix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"
#include "firn/circuit/statistics.h"
#include "tests/support/random_networks.h"

namespace firn {
namespace {

std::size_t total(const std::array<std::size_t, kGates>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

TEST(GateMix, CountsWhatIsThereAndWhatIsLeft) {
  // Of four gates on two bits one is constant, one a wire, and one an OR that becomes an AND with inverters.
  BooleanNetwork network{.input = {2, 1, 1}, .layers = {}, .head = {}};
  network.layers.push_back(
      boolean_dense("fc1", 2, {0, 1, 0, 1, 0, 1, 0, 1}, {Gate::kTrue, Gate::kA, Gate::kOr, Gate::kXor}));
  const auto layers = gate_mix(network);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].name, "fc1");
  for (Gate gate : {Gate::kTrue, Gate::kA, Gate::kOr, Gate::kXor})
    EXPECT_EQ(layers[0].before[static_cast<int>(gate)], 1u);
  EXPECT_EQ(total(layers[0].before), 4u);
  EXPECT_EQ(layers[0].after[static_cast<int>(Gate::kNor)], 1u);
  EXPECT_EQ(layers[0].after[static_cast<int>(Gate::kXor)], 1u);
  EXPECT_EQ(total(layers[0].after), 2u);
}

TEST(GateMix, AgreesWithTheCostOfTheCircuit) {
  const BooleanNetwork network = random_network(/*seed=*/3);
  Netlist netlist = lower(network);
  simplify(netlist);
  const CircuitCost cost = circuit_cost(netlist, network);
  const auto layers = gate_mix(network);
  ASSERT_EQ(layers.size(), cost.layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    EXPECT_EQ(total(layers[i].before), cost.layers[i].unrolled);
    EXPECT_EQ(total(layers[i].after), cost.layers[i].gates());
    const auto& after = layers[i].after;
    EXPECT_EQ(after[static_cast<int>(Gate::kXor)] + after[static_cast<int>(Gate::kXnor)], cost.layers[i].xor_gates);
  }
}

}  // namespace
}  // namespace firn
