#include "firn/network/evaluate.h"

#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "tests/support/each_target.h"
#include "tests/support/random_networks.h"

namespace firn {
namespace {

Matrix<std::uint64_t> random_bits(std::size_t rows, std::size_t words) {
  Matrix<std::uint64_t> bits(rows, words, 16);
  RandomSequence random(1, "test/evaluate");
  for (std::size_t r = 0; r < rows; ++r)
    for (std::uint64_t& w : bits[r]) w = (std::uint64_t{random.next()} << 32) | random.next();
  return bits;
}

bool bit(std::span<const std::uint64_t> row, std::size_t s) {
  return (row[s / 64] >> (s % 64)) & 1;
}

TEST(BitEvaluator, EveryGateFollowsItsTruthTable) {
  each_target([](const char* target) {
    for (const std::size_t words : {2, 8}) {
      BooleanNetwork network;
      network.input = {3};
      std::vector<std::uint32_t> wires;
      std::vector<Gate> gates;
      for (std::uint32_t g = 0; g < 16; ++g) {
        wires.insert(wires.end(), {g % 3, (g + 1) % 3});
        gates.push_back(static_cast<Gate>(g));
      }
      network.layers.push_back(boolean_dense("fc", 3, wires, gates));
      Threads threads(1);
      const auto in = random_bits(3, words);
      BitEvaluator evaluator(network, words);
      const auto& out = evaluator.run(in, threads);
      for (std::size_t g = 0; g < 16; ++g)
        for (std::size_t s = 0; s < 64 * words; ++s)
          ASSERT_EQ(bit(out[g], s), eval(static_cast<Gate>(g), bit(in[g % 3], s), bit(in[(g + 1) % 3], s)))
              << target << " " << name(static_cast<Gate>(g)) << " words " << words;
    }
  });
}

// Trees of every depth with padding, stride and pool, pools and dense layers, against the slow twin on single bits.
TEST(BitEvaluator, AgreesWithTheSlowTwinOnRandomNetworks) {
  each_target([](const char* target) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const BooleanNetwork network = random_network(seed);
      check_network(network, "test");
      Threads threads(1);
      const auto in = random_words(network.input.size(), 2, seed);
      BitEvaluator evaluator(network, 2);
      ASSERT_TRUE(same_rows(evaluator.run(in, threads), evaluate_slowly(network, in))) << target << " seed " << seed;
    }
  });
}

// Units of three chained gates along a line, pooled in pairs: no kernel fits, so that gates run one by one.
TEST(BitEvaluator, RunsUnitsOfAnyShapeGateByGate) {
  RandomSequence random(3, "test/chains");
  BooleanLayer layer;
  LayerDescription& w = layer.wiring;
  w.name = "chains";
  w.input = {2, 1, 11};
  w.output = {5, 1, 5};
  w.taps = 4;
  w.gates = 3;
  w.operands = {0, 1, 4, 2, 3, 5};
  w.window = {1, 3};
  w.padding = {0, 1};
  w.pool = {1, 2};
  for (std::size_t t = 0; t < 5 * 4; ++t) {
    w.tap_channel.push_back(random.below(2));
    w.tap_place.push_back(static_cast<std::uint8_t>(random.below(3)));
  }
  for (std::size_t g = 0; g < 5 * 3; ++g) layer.gates.push_back(random_gate(random));
  BooleanNetwork network{w.input, {layer}, {.groups = 5}};
  check_network(network, "test");
  Threads threads(2);
  const auto in = random_words(22, 2, 1);
  BitEvaluator evaluator(network, 2);
  EXPECT_TRUE(same_rows(evaluator.run(in, threads), evaluate_slowly(network, in)));
}

}  // namespace
}  // namespace firn
