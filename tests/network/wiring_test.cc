#include "firn/network/wiring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "firn/network/tree_leaves.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_models.h"

namespace firn {
namespace {

std::pair<std::size_t, std::size_t> smallest_and_largest(const std::vector<std::size_t>& counts) {
  return {*std::ranges::min_element(counts), *std::ranges::max_element(counts)};
}

LayerPlace place_with(const Shape& input) {
  LayerPlace place;
  place.name = "fc";
  place.input = input;
  return place;
}

std::vector<WirePair> draw(const char* rule, const LayerPlace& place, std::size_t gates, std::uint64_t seed = 1) {
  RandomSequence random(seed, "wiring");
  return draw_wiring(rule, place, gates, random);
}

TEST(LayerPlace, WiringIsDrawnFromTheStreamAfterTheLogits) {
  LayerPlace place;
  place.name = "fc";
  place.seed = 3;
  EXPECT_EQ(place.random(5).position(), 0u);
  place.has_gaussian_logits = true;
  RandomSequence logits(3, "model/fc");
  for (std::size_t i = 0; i < 5 * kSlots; ++i) logits.normal();
  EXPECT_EQ(place.random(5).position(), logits.position());
  EXPECT_EQ(place.random(5).next(), logits.next());
}

TEST(DenseWiring, RandomUsesInputsEquallyOften) {
  for (const auto& [inputs, neurons] : {std::pair<std::size_t, std::size_t>{10, 25}, {16, 8}, {7, 5}, {1000, 513}}) {
    const auto pairs = draw("random", place_with({inputs}), neurons);
    ASSERT_EQ(pairs.size(), neurons);
    std::vector<std::size_t> uses(inputs);
    for (const WirePair& pair : pairs) ++uses[pair.a], ++uses[pair.b];
    const auto [least, most] = smallest_and_largest(uses);
    EXPECT_EQ(least, 2 * neurons / inputs);
    EXPECT_EQ(most, (2 * neurons + inputs - 1) / inputs);
  }
}

TEST(DenseWiring, HalvingIsAMatching) {
  const auto layer = [](std::size_t inputs, std::vector<std::uint32_t> wires) {
    return describe_dense("fc", inputs, std::move(wires));
  };
  DenseSettings settings;
  settings.outputs = 32;
  EXPECT_TRUE(is_matching(build_alone(settings, "fc", {64}, 2)));
  settings.outputs = 33;
  EXPECT_FALSE(is_matching(build_alone(settings, "fc", {64}, 2)));
  EXPECT_FALSE(is_matching(layer(4, {0, 1, 1, 2})));
  EXPECT_FALSE(is_matching(layer(4, {0, 0, 1, 2})));
}

TEST(DenseWiring, UniquePairsAreDifferentAndNotReflexive) {
  for (const char* rule : {"unique", "random-unique"})
    for (const std::size_t neurons : {5u, 9u, 17u, 45u}) {
      std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
      for (const WirePair& pair : draw(rule, place_with({10}), neurons, 3)) {
        EXPECT_NE(pair.a, pair.b);
        seen.insert(std::minmax(pair.a, pair.b));
      }
      EXPECT_EQ(seen.size(), neurons);
    }
}

TEST(DenseWiring, UniquePrefersNeighbours) {
  RandomSequence random(4, "wiring");
  for (const WirePair& pair : draw_wiring("unique", place_with({10}), 9, random)) EXPECT_EQ(pair.b, pair.a + 1);
  std::set<std::uint32_t> used;
  for (const WirePair& pair : draw_wiring("unique", place_with({10}), 5, random)) used.insert({pair.a, pair.b});
  EXPECT_EQ(used.size(), 10u);
}

TEST(DenseWiring, ImpossibleLayersAreRefused) {
  for (const WiringEntry& wiring : wirings())
    EXPECT_EQ(error_of([&] { draw(wiring.name.data(), place_with({10}), 4); }),
              "a dense layer of 4 gates cannot use all of its 10 inputs; make it at least 5 wide");
  EXPECT_NE(error_of([&] { draw("unique", place_with({4}), 7); }).find("only 6"), std::string::npos);
}

struct ChannelUse {
  std::vector<std::size_t> kernels_of_channel;
  std::size_t most_channels = 0, fewest_channels = 99;
  bool places_distinct = true, pairs_distinct = true, halves = true;
};

ChannelUse look_at(const std::vector<Leaf>& all, std::size_t channels, std::size_t leaves) {
  ChannelUse use;
  use.kernels_of_channel.resize(channels);
  for (std::size_t k = 0; k < all.size() / leaves; ++k) {
    const std::span<const Leaf> tree(&all[k * leaves], leaves);
    std::set<std::uint32_t> used;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> places;
    for (const Leaf& leaf : tree) used.insert(leaf.channel), places.insert({leaf.channel, leaf.y, leaf.x});
    for (std::uint32_t channel : used) {
      ++use.kernels_of_channel[channel];
      use.halves &= static_cast<std::size_t>(std::ranges::count(tree, channel, &Leaf::channel)) == leaves / used.size();
    }
    use.most_channels = std::max(use.most_channels, used.size());
    use.fewest_channels = std::min(use.fewest_channels, used.size());
    use.places_distinct &= places.size() == leaves;
    for (std::size_t l = 0; l < leaves; l += 2) use.pairs_distinct &= tree[l] != tree[l + 1];
  }
  return use;
}

ChannelUse draw_and_look(ChannelRule rule, std::size_t channels, std::size_t side, std::size_t kernels,
                         std::size_t leaves) {
  RandomSequence random(channels * 100 + kernels, "leaves");
  const auto all = draw_tree_leaves(rule, place_with({channels, 16, 16}), {side, side}, kernels, leaves, random);
  EXPECT_EQ(all.size(), kernels * leaves);
  for (const Leaf& leaf : all) EXPECT_TRUE(leaf.channel < channels && leaf.y < side && leaf.x < side);
  return look_at(all, channels, leaves);
}

TEST(TreeWiring, OneChannelPerTreeEquallyOftenAtDistinctPlaces) {
  const ChannelUse use = draw_and_look(ChannelRule::kOne, 9, 3, 32, 8);
  EXPECT_EQ(use.most_channels, 1u);
  EXPECT_TRUE(use.places_distinct);
  EXPECT_EQ(smallest_and_largest(use.kernels_of_channel), (std::pair<std::size_t, std::size_t>{3, 4}));
}

TEST(TreeWiring, TwoDistinctChannelsHalfTheLeavesEach) {
  for (const auto& [channels, kernels] :
       {std::pair<std::size_t, std::size_t>{2, 7}, {3, 7}, {9, 32}, {32, 128}, {5, 1}}) {
    const ChannelUse use = draw_and_look(ChannelRule::kTwoDistinct, channels, 3, kernels, 8);
    EXPECT_EQ(use.most_channels, 2u);
    EXPECT_EQ(use.fewest_channels, 2u);
    EXPECT_TRUE(use.halves && use.places_distinct && use.pairs_distinct);
    const auto [least, most] = smallest_and_largest(use.kernels_of_channel);
    EXPECT_EQ(least, 2 * kernels / channels);
    EXPECT_EQ(most, (2 * kernels + channels - 1) / channels);
  }
  EXPECT_EQ(draw_and_look(ChannelRule::kTwoDistinct, 1, 3, 4, 8).most_channels, 1u);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> channel_pairs(ChannelRule rule, const LayerPlace& place,
                                                                   std::size_t filters) {
  RandomSequence random(11, "leaves");
  const auto all = draw_tree_leaves(rule, place, {3, 3}, filters, 8, random);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t k = 0; k < filters; ++k) {
    const auto [low, high] = std::ranges::minmax(std::span(&all[8 * k], 8), {}, &Leaf::channel);
    pairs.emplace_back(low.channel, high.channel);
  }
  return pairs;
}

TEST(TreeWiring, StructuredRulesPairChannelsEquallyOftenAndDifferently) {
  for (const ChannelRule rule : {ChannelRule::kBalanced, ChannelRule::kButterfly})
    for (const std::size_t number : {1u, 2u, 3u, 4u, 5u})
      for (const auto& [channels, filters] :
           {std::pair<std::size_t, std::size_t>{8, 28}, {9, 32}, {32, 128}, {31, 64}, {128, 256}, {128, 40}}) {
        LayerPlace place = place_with({channels, 16, 16});
        place.number = number;
        const auto pairs = channel_pairs(rule, place, filters);
        std::vector<std::size_t> uses(channels);
        for (const auto& [a, b] : pairs) {
          EXPECT_NE(a, b);
          ++uses[a], ++uses[b];
        }
        const auto [least, most] = smallest_and_largest(uses);
        EXPECT_EQ(least, 2 * filters / channels) << channels << " channels, layer " << number;
        EXPECT_EQ(most, (2 * filters + channels - 1) / channels) << channels << " channels, layer " << number;
        EXPECT_EQ(std::set(pairs.begin(), pairs.end()).size(), filters) << channels << " channels, layer " << number;
      }
}

TEST(TreeWiring, StructuredRulesNeverPairTwoBitsOfOneValueInTheFirstLayer) {
  LayerPlace place = place_with({9, 16, 16});
  place.bits_per_value = 3;
  for (const ChannelRule rule : {ChannelRule::kBalanced, ChannelRule::kButterfly})
    for (const auto& [a, b] : channel_pairs(rule, place, 18)) EXPECT_NE(a % 3, b % 3);
}

TEST(TreeWiring, ButterflyChannelsAreFartherApartInLaterLayers) {
  const auto distance = [](std::size_t number) {
    LayerPlace place = place_with({64, 16, 16});
    place.number = number;
    std::size_t sum = 0;
    for (const auto& [a, b] : channel_pairs(ChannelRule::kButterfly, place, 64)) sum += std::min(b - a, 64 - (b - a));
    return sum;
  };
  EXPECT_LT(distance(2), distance(3));
  EXPECT_LT(distance(3), distance(4));
}

TEST(TreeWiring, PairsDifferUnderEveryRule) {
  for (const ChannelRule rule : {ChannelRule::kOne, ChannelRule::kTwoDistinct, ChannelRule::kTwoWithReplacement,
                                 ChannelRule::kAll, ChannelRule::kBalanced, ChannelRule::kButterfly})
    for (const std::size_t leaves : {2u, 4u, 8u, 16u})
      EXPECT_TRUE(draw_and_look(rule, 4, 3, 50, leaves).pairs_distinct);
}

TEST(TreeWiring, WithReplacementNeverMoreThanTwoAndAllMayUseMany) {
  const ChannelUse two = draw_and_look(ChannelRule::kTwoWithReplacement, 8, 3, 200, 8);
  EXPECT_EQ(two.most_channels, 2u);
  EXPECT_EQ(two.fewest_channels, 1u);
  EXPECT_FALSE(two.halves);
  EXPECT_GT(draw_and_look(ChannelRule::kAll, 8, 3, 200, 8).most_channels, 4u);
}

TEST(SlotWiring, EverySlotUsesInputsEquallyOften) {
  const LayerDescription layer = random_slot_dense("fc", {30}, 40, 6).parts[0];
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    std::vector<std::size_t> uses(30);
    for (std::size_t i = 0; i < 40; ++i)
      for (std::size_t side = 0; side < 2; ++side) ++uses[layer.tap_channel[2 * (i * kSlots + slot) + side]];
    EXPECT_EQ(smallest_and_largest(uses), (std::pair<std::size_t, std::size_t>{2, 3}));
  }
}

TEST(SlotWiring, CandidatesOfAWireUseInputsEquallyOftenInEverySlot) {
  const LayerDescription layer = random_slot_select("select", {30}, 40, 6).parts[0];
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    std::vector<std::size_t> uses(30);
    for (std::size_t i = 0; i < 40; ++i) {
      const std::uint32_t* pair = &layer.tap_channel[2 * (i * kSlots + slot)];
      EXPECT_EQ(pair[0], pair[1]);
      ++uses[pair[0]];
    }
    EXPECT_EQ(smallest_and_largest(uses), (std::pair<std::size_t, std::size_t>{1, 2}));
  }
}

TEST(SlotWiring, ConvolutionPairsDifferAndChannelsRepeat) {
  const LayerDescription layer = random_slot_conv("conv", {9, 8, 8}, slot(20, 3, 1, 2), 7).parts[0];
  for (std::size_t j = 0; j < 20 * kSlots; ++j) {
    EXPECT_NE(layer.tap_place[2 * j], layer.tap_place[2 * j + 1]);
    EXPECT_LT(std::max(layer.tap_place[2 * j], layer.tap_place[2 * j + 1]), 9);
  }
  for (std::size_t i = 0; i < 20 * 32; ++i) EXPECT_EQ(layer.tap_channel[i], i / 32 % 9);
}

}  // namespace
}  // namespace firn
