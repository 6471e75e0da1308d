#include "firn/circuit/hierarchy.h"

#include <gtest/gtest.h>

#include "firn/circuit/lower.h"
#include "firn/prove/equivalence.h"
#include "tests/support/random_netlists.h"

namespace firn {
namespace {

// Two convolutions and a dense layer, padded and pooled as the seed has it.
BooleanNetwork layered_network(std::uint64_t seed) {
  RandomSequence random(seed, "test/hierarchy");
  BooleanNetwork network{{2, 6, 6}, {}, {.groups = 3}};
  network.layers.push_back(random_boolean_conv(network.input, 3, random));
  network.layers.push_back(random_boolean_conv(network.layers[0].wiring.output, 2, random));
  network.layers.push_back(random_boolean_dense(network.layers[1].wiring.output.size(), 12, random));
  for (std::size_t i = 0; i < 3; ++i) network.layers[i].wiring.name = "layer" + std::to_string(i);
  return network;
}

TEST(HierarchyTest, IsTheSameFunctionAsTheFlatCircuit) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const BooleanNetwork network = layered_network(seed);
    const Netlist flat = lower(network);
    for (const HeadForm form : {HeadForm::kNone, HeadForm::kBinary, HeadForm::kOneHot}) {
      const Netlist modules = flatten(hierarchy_of(network, {}, form));
      ASSERT_TRUE(check_equivalence(modules, with_head(flat, network.head, form)).proved()) << seed;
    }
  }
}

TEST(HierarchyTest, FeaturesWithEqualThresholdsShareAModule) {
  const BooleanNetwork network = layered_network(1);
  Comparators encoder{{}, network.input.size() / 2, {}};
  for (std::size_t t = 0; t < 2; ++t)
    for (std::size_t f = 0; f < encoder.features; ++f)
      encoder.limits.push_back(static_cast<std::int64_t>(f % 3 == 0 ? 31 + 100 * t : 70 + 47 * t));
  const Hierarchy hierarchy = hierarchy_of(network, encoder, HeadForm::kBinary);
  std::size_t encoders = 0;
  for (const Hierarchy::Module& module : hierarchy.modules) encoders += module.name.starts_with("encode");
  EXPECT_EQ(encoders, 2u);
  EXPECT_EQ(hierarchy.inputs, 8 * encoder.features);
  EXPECT_TRUE(
      check_equivalence(flatten(hierarchy), with_encoder(with_head(lower(network), network.head), encoder)).proved());
}

}  // namespace
}  // namespace firn
