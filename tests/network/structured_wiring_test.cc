// What balanced and butterfly promise, at widths that divide and widths that do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <set>
#include <vector>

#include "firn/network/families.h"
#include "firn/network/kinds/chain.h"
#include "firn/network/rings.h"
#include "firn/network/wiring.h"
#include "tests/support/expect_error.h"

namespace firn {
namespace {

constexpr const char* kStructured[] = {"balanced", "butterfly"};

struct Case {
  Shape input;
  std::size_t bits, gates;
};
// Images, tables and lines; wide and narrow, prime and not.
const Case kCases[] = {{{9, 8, 8}, 3, 576}, {{9, 8, 8}, 3, 800},   {{9, 8, 8}, 3, 288},   {{9, 8, 8}, 3, 289},
                       {{2, 7, 5}, 2, 211}, {{1, 11, 11}, 1, 61},  {{1, 11, 11}, 1, 127}, {{30}, 3, 97},
                       {{13}, 1, 7},        {{4, 1, 50}, 2, 1000}, {{256, 2, 2}, 1, 1280}};

LayerPlace place_of(const Case& c, std::size_t level = 0) {
  LayerPlace place;
  place.name = "fc";
  place.input = level == 0 ? c.input : Shape{c.input.size() + level};
  place.image = c.input;
  place.bits_per_value = c.bits;
  place.level = level;
  return place;
}

std::vector<WirePair> draw_by(const char* rule, const LayerPlace& place, std::size_t gates, std::uint64_t seed) {
  RandomSequence random(seed, "wiring");
  return draw_wiring(rule, place, gates, random);
}

void expect_spread(const std::vector<std::size_t>& uses, std::size_t ends) {
  EXPECT_EQ(*std::ranges::min_element(uses), ends / uses.size());
  EXPECT_EQ(*std::ranges::max_element(uses), (ends + uses.size() - 1) / uses.size());
}

TEST(StructuredWiring, UsesEveryWireEquallyOftenAndNoPairTwice) {
  for (const char* rule : kStructured)
    for (const Case& c : kCases)
      for (const std::size_t level : {0u, 1u, 2u, 3u}) {
        const LayerPlace place = place_of(c, level);
        const std::size_t gates = c.gates + level;
        SCOPED_TRACE(testing::Message() << rule << " of " << place.input.size() << " with " << gates << " gates");
        std::vector<std::size_t> uses(place.input.size());
        std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
        for (const WirePair& pair : draw_by(rule, place, gates, 2)) {
          ASSERT_LT(std::max(pair.a, pair.b), uses.size());
          EXPECT_NE(pair.a, pair.b);
          seen.insert(std::minmax(pair.a, pair.b));
          ++uses[pair.a], ++uses[pair.b];
        }
        EXPECT_EQ(seen.size(), std::min(gates, uses.size() * (uses.size() - 1) / 2));
        expect_spread(uses, 2 * gates);
      }
}

TEST(StructuredWiring, FullRingsReadEveryWireOnceAsOperandA) {
  for (const char* rule : kStructured) {
    std::vector<std::size_t> uses(576);
    for (const WirePair& pair : draw_by(rule, place_of(kCases[0]), 576, 3)) ++uses[pair.a];
    EXPECT_EQ(uses, std::vector<std::size_t>(576, 1)) << rule;
  }
}

TEST(StructuredWiring, TheFirstLayerPairsNeighboursAndNeverTwoBitsOfOneValue) {
  for (const char* rule : kStructured)
    for (const Case& c : kCases) {
      const std::size_t pixels = c.input.height * c.input.width, values = c.input.channels / c.bits;
      std::size_t near = 0;
      for (const WirePair& pair : draw_by(rule, place_of(c), c.gates, 4)) {
        const auto value = [&](std::uint32_t wire) { return wire / pixels % values * pixels + wire % pixels; };
        EXPECT_NE(value(pair.a), value(pair.b)) << rule << " of " << c.input.size();
        const std::size_t a = pair.a % pixels, b = pair.b % pixels, width = c.input.width;
        const auto apart = [](std::size_t p, std::size_t q) { return p < q ? q - p : p - q; };
        near += apart(a / width, b / width) + apart(a % width, b % width) <= 2;
      }
      if (pixels < 64) continue;
      EXPECT_GT(near, c.gates * 7 / 10) << rule << " of " << c.input.size();
    }
}

TEST(StructuredWiring, IsAFunctionOfTheSeed) {
  const auto wires = [](const char* rule, std::uint64_t seed) {
    std::vector<std::uint32_t> all;
    for (const WirePair& pair : draw_by(rule, place_of(kCases[1]), 800, seed)) all.insert(all.end(), {pair.a, pair.b});
    return all;
  };
  for (const char* rule : kStructured) {
    EXPECT_EQ(wires(rule, 5), wires(rule, 5));
    EXPECT_NE(wires(rule, 5), wires(rule, 6));
  }
}

TEST(StructuredWiring, TinyLayersRepeatWhatTheyMust) {
  for (const char* rule : kStructured)
    for (const std::size_t inputs : {1u, 2u, 3u, 4u, 5u, 6u})
      for (std::size_t gates = (inputs + 1) / 2; gates < 20; ++gates) {
        LayerPlace place;
        place.input = {inputs};
        std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
        for (const WirePair& pair : draw_by(rule, place, gates, 7)) {
          EXPECT_TRUE(pair.a != pair.b || inputs == 1);
          seen.insert(std::minmax(pair.a, pair.b));
        }
        const std::size_t pairs = inputs == 1 ? 1 : inputs * (inputs - 1) / 2;
        EXPECT_EQ(seen.size(), std::min(gates, pairs)) << rule << ": " << gates << " gates on " << inputs;
      }
}

NetworkDescription dense(const std::string& wiring, std::size_t layers) {
  ModelSettings settings;
  settings.family = "dense";
  settings.width = 1200;
  settings.layers = layers;
  settings.wiring = wiring;
  return describe_network(settings, {9, 10, 10}, 10, 1, standard_layer_kinds(), 3);
}

// The inputs that each output depends on.
std::vector<std::bitset<900>> ancestors(const NetworkDescription& network) {
  std::vector<std::bitset<900>> seen(900);
  for (std::size_t i = 0; i < 900; ++i) seen[i].set(i);
  for (const LayerDescription& layer : network.layers) {
    std::vector<std::bitset<900>> next;
    for (std::size_t u = 0; u < layer.units(); ++u)
      next.push_back(seen[layer.tap_channel[2 * u]] | seen[layer.tap_channel[2 * u + 1]]);
    seen = std::move(next);
  }
  return seen;
}

double average_ancestors(const std::string& wiring, std::size_t layers) {
  double sum = 0;
  const auto all = ancestors(dense(wiring, layers));
  for (const auto& inputs : all) sum += static_cast<double>(inputs.count());
  return sum / static_cast<double>(all.size());
}

TEST(StructuredWiring, ButterflyOutputsSeeMoreInputsThanRandomOnes) {
  for (const std::size_t layers : {3u, 4u})
    EXPECT_GT(average_ancestors("butterfly", layers), average_ancestors("random", layers)) << layers << " layers";
  EXPECT_GT(average_ancestors("butterfly", 4), 15.5);
}

TEST(StructuredWiring, EveryClassSeesTheWholeImage) {
  for (const char* rule : kStructured) {
    const auto all = ancestors(dense(rule, 4));
    for (std::size_t group = 0; group < 10; ++group) {
      std::bitset<900> inputs;
      for (std::size_t i = 0; i < 120; ++i) inputs |= all[group * 120 + i];
      std::set<std::size_t> pixels;
      for (std::size_t i = 0; i < 900; ++i)
        if (inputs[i]) pixels.insert(i % 100);
      EXPECT_EQ(pixels.size(), 100u) << rule << ", class " << group;
    }
  }
}

TEST(StructuredWiring, HalvingLayersAreMatchings) {
  for (const char* rule : kStructured)
    for (const std::size_t level : {0u, 1u, 2u}) {
      LayerPlace place = place_of(kCases[0], level);
      place.input = level == 0 ? place.input : Shape{576};
      std::set<std::uint32_t> used;
      for (const WirePair& pair : draw_by(rule, place, 288, 8)) used.insert({pair.a, pair.b});
      EXPECT_EQ(used.size(), 576u) << rule;
    }
}

LayerDescription chains(const Shape& input, std::size_t bits, std::size_t outputs, std::size_t gates,
                        std::uint64_t seed = 1) {
  LayerPlace place;
  place.name = "fc";
  place.input = input;
  place.bits_per_value = bits;
  place.groups = 10;
  place.seed = seed;
  ChainSettings settings;
  settings.outputs = outputs;
  settings.gates = gates;
  return settings.build(place);
}

TEST(ChainWiring, ReadsEveryInputEquallyOftenAndNoneTwiceInAChain) {
  for (const std::size_t gates : {1u, 4u, 16u, 31u})
    for (const std::size_t rounds : {1u, 3u}) {
      const LayerDescription layer = chains({9, 8, 8}, 3, 576 * rounds, gates);
      EXPECT_EQ(fault_of(layer), nullptr);
      EXPECT_TRUE(is_chain(layer));
      std::vector<std::size_t> uses(576);
      for (const std::uint32_t wire : layer.tap_channel) ++uses[wire];
      EXPECT_EQ(uses, std::vector<std::size_t>(576, rounds * (gates + 1)));
      for (std::size_t u = 0; u < layer.units(); ++u) {
        const std::span<const std::uint32_t> taps(&layer.tap_channel[u * layer.taps], layer.taps);
        std::set<std::uint32_t> values;
        for (const std::uint32_t wire : taps) values.insert(wire % 192);
        EXPECT_EQ(values.size(), layer.taps) << gates << " gates: two bits of one value in a chain";
      }
    }
}

TEST(ChainWiring, SpreadsEvenlyAtAnyWidth) {
  for (const auto& [outputs, gates] : {std::pair<std::size_t, std::size_t>{577, 3}, {300, 4}, {150, 16}, {100, 31}}) {
    std::vector<std::size_t> uses(576);
    for (const std::uint32_t wire : chains({9, 8, 8}, 3, outputs, gates).tap_channel) ++uses[wire];
    expect_spread(uses, outputs * (gates + 1));
  }
  for (const std::size_t inputs : {1u, 2u, 5u}) EXPECT_EQ(fault_of(chains({inputs}, 1, 40, 31)), nullptr);
  EXPECT_EQ(error_of([] {
              chains({9, 8, 8}, 3, 100, 4);
            }),
            "layer 1 (fc): 100 chains of 4 gates cannot use all of the 576 inputs; make it at least 116 wide");
}

// Wires of another dense layer are not bits of values, however many of those the encoder has.
TEST(ChainWiring, StandsOnDenseLayersOfAnyWidth) {
  for (const std::size_t inputs : {50u, 100u, 191u}) {
    LayerPlace place{.name = "fc2", .input = {inputs}};
    place.bits_per_value = 64;
    place.level = 1;
    place.image = {64};
    ChainSettings settings;
    settings.outputs = 200;
    settings.gates = 3;
    const LayerDescription layer = settings.build(place);
    EXPECT_EQ(fault_of(layer), nullptr);
    std::vector<std::size_t> uses(inputs);
    for (const std::uint32_t wire : layer.tap_channel) ++uses[wire];
    expect_spread(uses, 200 * 4);
  }
}

TEST(ChainWiring, IsAFunctionOfTheSeed) {
  EXPECT_EQ(chains({9, 8, 8}, 3, 800, 4, 5).tap_channel, chains({9, 8, 8}, 3, 800, 4, 5).tap_channel);
  EXPECT_NE(chains({9, 8, 8}, 3, 800, 4, 5).tap_channel, chains({9, 8, 8}, 3, 800, 4, 6).tap_channel);
}

TEST(LearnedWiring, MakesDenseLayersChooseTheirInputs) {
  for (const LayerDescription& layer : dense("learned", 3).layers) EXPECT_TRUE(layer.has_own_slots) << layer.name;
  const NetworkDescription tree = describe_network({.family = "treelogicnet", .width = 1, .wiring = "learned"},
                                                   {3, 32, 32}, 10, 1, standard_layer_kinds());
  for (const LayerDescription& layer : tree.layers) EXPECT_EQ(layer.has_own_slots, !layer.is_convolution) << layer.name;
}

TEST(ChainWiring, AnchoredDenseNetworksAreChains) {
  const NetworkDescription network = dense("anchored", 6);
  ASSERT_EQ(network.layers.size(), 1u);
  EXPECT_EQ(network.layers[0].kind, "chain");
  EXPECT_EQ(network.layers[0].gates, 6u);
  EXPECT_EQ(network.layers[0].units(), 1200u);
  EXPECT_EQ(error_of([] { dense("anchored", 32); }), "model.wiring \"anchored\" has at most 31 layers, not 32");
  EXPECT_EQ(error_of([] { check_settings({.wiring = "anchored"}); }),
            "model.wiring \"anchored\" is for the family dense; choose another wiring");
}

}  // namespace
}  // namespace firn
