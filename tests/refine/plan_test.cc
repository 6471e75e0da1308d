#include "firn/refine/plan.h"

#include <gtest/gtest.h>

#include "tests/refine/refine_case.h"

namespace firn {
namespace {

TEST(Plan, FusesDenseLayersWhoseOutputsAreReadOnce) {
  const Plan plan = make_plan(matched_network(48, 3, 1));
  ASSERT_EQ(plan.layers.size(), 1u);
  EXPECT_EQ(plan.layers[0].units, 12u);
  EXPECT_EQ(plan.layers[0].gates, 7u);
  EXPECT_EQ(plan.layers[0].depth, 3);
  EXPECT_EQ(plan.rows, 1u + 20 + 12);
}

TEST(Plan, KeepsLayersApartWhereAnOutputIsReadTwice) {
  BooleanNetwork network = matched_network(48, 3, 1);
  network.layers[2].wiring.tap_channel[1] = network.layers[2].wiring.tap_channel[0];
  EXPECT_EQ(make_plan(network).layers.size(), 3u);
}

TEST(Plan, KnowsWhereEveryGateBelongs) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const BooleanNetwork network = seed % 2 ? random_network(seed) : matched_network(24, 3, seed);
    Plan plan = make_plan(network);
    for (PlanLayer& layer : plan.layers)
      for (std::uint8_t& number : layer.numbers) number ^= 15;
    BooleanNetwork inverted = network;
    store_gates(plan, inverted);
    for (std::size_t l = 0; l < network.layers.size(); ++l)
      for (std::size_t g = 0; g < network.layers[l].gates.size(); ++g)
        ASSERT_EQ(inverted.layers[l].gates[g], complement(network.layers[l].gates[g])) << seed;
  }
}

TEST(Plan, ListsTheReadersOfEveryFeatureOnce) {
  const Plan plan = make_plan(random_network(7));
  std::size_t features = plan.inputs;
  std::uint32_t first = 1;
  for (const PlanLayer& layer : plan.layers) {
    const std::size_t width = layer.pool * layer.taps;
    for (std::size_t f = 0; f < features; ++f)
      for (std::uint32_t o = 0; o < layer.output_count(); ++o) {
        const auto rows = layer.rows.begin() + static_cast<std::ptrdiff_t>(o * width);
        const bool reads = std::find(rows, rows + static_cast<std::ptrdiff_t>(width), first + f) !=
                           rows + static_cast<std::ptrdiff_t>(width);
        ASSERT_EQ(std::ranges::count(layer.readers_of(f), o), reads ? 1 : 0);
      }
    features = layer.output_count();
    first = layer.first_row;
  }
}

}  // namespace
}  // namespace firn
