#include "firn/network/tree_leaves.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/network/draw.h"
#include "firn/network/wiring.h"

namespace firn::network {

namespace {

constexpr std::array<std::pair<std::string_view, ChannelRule>, 6> kRules = {{
    {"one", ChannelRule::kOne},
    {"two-distinct", ChannelRule::kTwoDistinct},
    {"two-with-replacement", ChannelRule::kTwoWithReplacement},
    {"all", ChannelRule::kAll},
    {"balanced", ChannelRule::kBalanced},
    {"butterfly", ChannelRule::kButterfly},
}};

Leaf random_place(std::uint32_t channel, const Extent& window, RandomSequence& random) {
  const std::uint32_t y = random.below(static_cast<std::uint32_t>(window.height));
  return {channel, y, random.below(static_cast<std::uint32_t>(window.width))};
}

// `count` places of a window, different while there are enough of them.
std::vector<Leaf> distinct_places(std::uint32_t channel, const Extent& window, std::size_t count,
                                  RandomSequence& random) {
  const auto width = static_cast<std::uint32_t>(window.width);
  std::vector<Leaf> leaves;
  for (std::uint32_t place : draw_balanced(window.size(), count, random))
    leaves.push_back({channel, place / width, place % width});
  return leaves;
}

std::vector<Leaf> leaves_of_two_with_replacement(std::uint32_t channels, const Extent& window, std::size_t leaves,
                                                 RandomSequence& random) {
  const std::uint32_t pick[2] = {random.below(channels), random.below(channels)};
  std::vector<Leaf> tree;
  for (std::size_t l = 0; l < leaves; ++l) tree.push_back(random_place(pick[random.below(2)], window, random));
  return tree;
}

// Two different channels for every filter, [2][filters], each channel equally often. Where a draw gives a filter the
// same channel twice, its second one changes place with that of a filter which has no use of this channel yet; there
// always is one.
std::vector<std::uint32_t> draw_channel_pairs(std::size_t channels, std::size_t filters, RandomSequence& random) {
  auto drawn = draw_balanced(channels, 2 * filters, random);
  for (std::size_t k = 0; k < filters; ++k) {
    const std::uint32_t channel = drawn[k];
    if (drawn[filters + k] != channel) continue;
    std::size_t other = random.below(static_cast<std::uint32_t>(filters));
    while (drawn[other] == channel || drawn[filters + other] == channel) other = (other + 1) % filters;
    std::swap(drawn[filters + k], drawn[filters + other]);
  }
  return drawn;
}

// The same by structure: channels are the wires of a dense layer, filters its gates. The first convolution knows which
// channels are bits of one value. Later ones have channels in the order of what they read, several for each channel of
// the layer below; a circle of sixteen regions makes distances double from an eighth of the channels to one half.
std::vector<std::uint32_t> wire_channel_pairs(std::string_view wiring, const LayerPlace& place, std::size_t filters,
                                              RandomSequence& random) {
  constexpr std::size_t kRegions = 16;
  LayerPlace circle;
  circle.input = {place.input.channels};
  circle.bits_per_value = place.bits_per_value;
  circle.level = place.number - 1;
  if (circle.level > 0) circle.image = {kRegions}, circle.bits_per_value = 1;
  const auto pairs = entry_named(wiring, wirings(), "wiring").draw(circle, filters, random);
  std::vector<std::uint32_t> drawn(2 * filters);
  for (std::size_t k = 0; k < filters; ++k) drawn[k] = pairs[k].a, drawn[filters + k] = pairs[k].b;
  return drawn;
}

// Two different channels for every filter, [2][filters], or one where the rule or the input has no more.
std::vector<std::uint32_t> channels_of_filters(ChannelRule rule, const LayerPlace& place, std::size_t filters,
                                               RandomSequence& random) {
  const std::size_t channels = place.input.channels;
  if (channels > 1 && rule == ChannelRule::kTwoDistinct) return draw_channel_pairs(channels, filters, random);
  if (channels > 1 && rule == ChannelRule::kBalanced) return wire_channel_pairs("balanced", place, filters, random);
  if (channels > 1 && rule == ChannelRule::kButterfly) return wire_channel_pairs("butterfly", place, filters, random);
  return draw_balanced(channels, filters, random);
}

// A gate on twice the same wire would be wasted: the second leaf of each pair moves until it differs.
void separate_pairs(std::vector<Leaf>& tree, const Extent& window, RandomSequence& random) {
  for (std::size_t l = 0; l + 1 < tree.size(); l += 2)
    while (tree[l] == tree[l + 1] && window.size() > 1) tree[l + 1] = random_place(tree[l + 1].channel, window, random);
}

}  // namespace

std::vector<std::string> channel_rules() {
  std::vector<std::string> names;
  for (const auto& [name, rule] : kRules) names.emplace_back(name);
  return names;
}

ChannelRule channel_rule_from_name(std::string_view name) {
  for (const auto& [known, rule] : kRules)
    if (known == name) return rule;
  throw Error(fmt::format("there is no channel rule \"{}\"; choose {}", name, fmt::join(channel_rules(), ", ")));
}

std::vector<Leaf> draw_tree_leaves(ChannelRule rule, const LayerPlace& place, const Extent& window, std::size_t filters,
                                   std::size_t leaves, RandomSequence& random) {
  const auto channel_count = static_cast<std::uint32_t>(place.input.channels);
  const auto balanced = channels_of_filters(rule, place, filters, random);
  std::vector<Leaf> all;
  all.reserve(filters * leaves);
  for (std::size_t k = 0; k < filters; ++k) {
    std::vector<Leaf> tree;
    if (rule == ChannelRule::kTwoWithReplacement) {
      tree = leaves_of_two_with_replacement(channel_count, window, leaves, random);
    } else if (rule == ChannelRule::kAll) {
      for (std::size_t l = 0; l < leaves; ++l)
        tree.push_back(random_place(random.below(channel_count), window, random));
    } else if (balanced.size() == 2 * filters) {
      tree = distinct_places(balanced[k], window, leaves / 2, random);
      const auto rest = distinct_places(balanced[filters + k], window, leaves - leaves / 2, random);
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

}  // namespace firn::network
