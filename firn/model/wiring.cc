#include "firn/model/wiring.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "firn/base/error.h"

namespace firn {

namespace {

template <class Pair>
void shuffle(std::vector<Pair>& items, RandomSequence& random) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[random.below(static_cast<std::uint32_t>(i))]);
}

// Disjoint neighbours first, so that every input is used, then the other neighbours, then wider and wider offsets.
std::vector<WirePair> distinct_pairs_disjoint_first(std::uint32_t inputs, std::size_t count) {
  std::vector<WirePair> pairs;
  for (std::uint32_t first : {0u, 1u})
    for (std::uint32_t i = first; i + 1 < inputs && pairs.size() < count; i += 2) pairs.push_back({i, i + 1});
  for (std::uint32_t offset = 2; offset < inputs && pairs.size() < count; ++offset)
    for (std::uint32_t i = 0; i + offset < inputs && pairs.size() < count; ++i) pairs.push_back({i, i + offset});
  return pairs;
}

std::vector<WirePair> distinct_pairs_by_offset(std::uint32_t inputs, std::size_t count) {
  std::vector<WirePair> pairs;
  for (std::uint32_t offset = 1; offset < inputs && pairs.size() < count; ++offset)
    for (std::uint32_t i = 0; i + offset < inputs && pairs.size() < count; ++i) pairs.push_back({i, i + offset});
  return pairs;
}

void check_unique_is_possible(std::size_t inputs, std::size_t neurons) {
  if (neurons > inputs * (inputs - 1) / 2)
    throw Error(
        fmt::format("unique wiring has only {} different pairs of {} inputs but the layer has {} gates; "
                    "choose wiring \"random\" or a narrower layer",
                    inputs * (inputs - 1) / 2, inputs, neurons));
}

Leaf random_place(std::uint32_t channel, std::uint32_t side, RandomSequence& random) {
  const std::uint32_t y = random.below(side);
  return {channel, y, random.below(side)};
}

// `count` places of a window, different while there are enough of them.
std::vector<Leaf> distinct_places(std::uint32_t channel, std::uint32_t side, std::size_t count,
                                  RandomSequence& random) {
  std::vector<Leaf> leaves;
  for (std::uint32_t place : draw_balanced(side * side, count, random))
    leaves.push_back({channel, place / side, place % side});
  return leaves;
}

std::vector<Leaf> leaves_of_two_with_replacement(std::uint32_t channels, std::uint32_t side, std::size_t leaves,
                                                 RandomSequence& random) {
  const std::uint32_t pick[2] = {random.below(channels), random.below(channels)};
  std::vector<Leaf> tree;
  for (std::size_t l = 0; l < leaves; ++l) tree.push_back(random_place(pick[random.below(2)], side, random));
  return tree;
}

// Two different channels for every kernel, [2][kernels], each channel equally often. Where a draw gives a kernel the
// same channel twice, its second one changes place with that of a kernel which has no use of this channel yet; there
// always is one.
std::vector<std::uint32_t> draw_channel_pairs(std::size_t channels, std::size_t kernels, RandomSequence& random) {
  auto drawn = draw_balanced(channels, 2 * kernels, random);
  for (std::size_t k = 0; k < kernels; ++k) {
    const std::uint32_t channel = drawn[k];
    if (drawn[kernels + k] != channel) continue;
    std::size_t other = random.below(static_cast<std::uint32_t>(kernels));
    while (drawn[other] == channel || drawn[kernels + other] == channel) other = (other + 1) % kernels;
    std::swap(drawn[kernels + k], drawn[kernels + other]);
  }
  return drawn;
}

// A gate on twice the same wire would be wasted: the second leaf of each pair moves until it differs.
void separate_pairs(std::vector<Leaf>& tree, std::uint32_t side, RandomSequence& random) {
  for (std::size_t l = 0; l + 1 < tree.size(); l += 2)
    while (tree[l] == tree[l + 1] && side > 1) tree[l + 1] = random_place(tree[l + 1].channel, side, random);
}

}  // namespace

DenseWiring dense_wiring_from_name(std::string_view name) {
  if (name == "random") return DenseWiring::kRandom;
  if (name == "unique") return DenseWiring::kUnique;
  if (name == "random-unique") return DenseWiring::kRandomUnique;
  throw Error(fmt::format("there is no wiring \"{}\"; choose random, unique or random-unique", name));
}

ChannelRule channel_rule_from_name(std::string_view name) {
  if (name == "one") return ChannelRule::kOne;
  if (name == "two-distinct") return ChannelRule::kTwoDistinct;
  if (name == "two-with-replacement") return ChannelRule::kTwoWithReplacement;
  if (name == "all") return ChannelRule::kAll;
  throw Error(
      fmt::format("there is no channel rule \"{}\"; choose one, two-distinct, two-with-replacement or all", name));
}

std::vector<std::uint32_t> draw_balanced(std::size_t values, std::size_t count, RandomSequence& random) {
  // Reducing a permutation modulo `values` favours the first few by one use; the relabelling spreads that favour.
  auto drawn = permutation(static_cast<std::uint32_t>(count), random);
  const auto label = permutation(static_cast<std::uint32_t>(values), random);
  for (std::uint32_t& d : drawn) d = label[d % values];
  return drawn;
}

std::vector<WirePair> draw_dense_wiring(DenseWiring rule, std::size_t inputs, std::size_t neurons,
                                        RandomSequence& random) {
  if (2 * neurons < inputs)
    throw Error(fmt::format("a dense layer of {} gates cannot use all of its {} inputs; make it at least {} wide",
                            neurons, inputs, (inputs + 1) / 2));
  std::vector<WirePair> pairs;
  if (rule == DenseWiring::kRandom) {
    const auto wires = draw_balanced(inputs, 2 * neurons, random);
    for (std::size_t n = 0; n < neurons; ++n) pairs.push_back({wires[n], wires[neurons + n]});
    return pairs;
  }
  check_unique_is_possible(inputs, neurons);
  const auto width = static_cast<std::uint32_t>(inputs);
  pairs = rule == DenseWiring::kUnique ? distinct_pairs_disjoint_first(width, neurons)
                                       : distinct_pairs_by_offset(width, neurons);
  shuffle(pairs, random);
  if (rule == DenseWiring::kRandomUnique) {
    const auto label = permutation(width, random);
    for (WirePair& pair : pairs) pair = {label[pair.a], label[pair.b]};
  }
  return pairs;
}

std::vector<Leaf> draw_tree_leaves(ChannelRule rule, std::size_t channels, std::size_t side, std::size_t kernels,
                                   std::size_t leaves, RandomSequence& random) {
  const auto channel_count = static_cast<std::uint32_t>(channels), window = static_cast<std::uint32_t>(side);
  const bool two = rule == ChannelRule::kTwoDistinct && channels > 1;
  const auto balanced = two ? draw_channel_pairs(channels, kernels, random) : draw_balanced(channels, kernels, random);
  std::vector<Leaf> all;
  all.reserve(kernels * leaves);
  for (std::size_t k = 0; k < kernels; ++k) {
    std::vector<Leaf> tree;
    if (rule == ChannelRule::kTwoWithReplacement) {
      tree = leaves_of_two_with_replacement(channel_count, window, leaves, random);
    } else if (rule == ChannelRule::kAll) {
      for (std::size_t l = 0; l < leaves; ++l)
        tree.push_back(random_place(random.below(channel_count), window, random));
    } else if (two) {
      tree = distinct_places(balanced[k], window, leaves / 2, random);
      const auto rest = distinct_places(balanced[kernels + k], window, leaves - leaves / 2, random);
      tree.insert(tree.end(), rest.begin(), rest.end());
      shuffle(tree, random);
    } else {
      tree = distinct_places(balanced[k], window, leaves, random);
    }
    separate_pairs(tree, window, random);
    all.insert(all.end(), tree.begin(), tree.end());
  }
  return all;
}

}  // namespace firn
