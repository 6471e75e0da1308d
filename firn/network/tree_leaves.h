// Where the leaves of convolving trees lie: which channels a tree reads, and which places of its window.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "firn/base/random.h"
#include "firn/network/kind.h"
#include "firn/network/layer.h"

namespace firn::network {

enum class ChannelRule {
  kOne,                 // one channel, leaves at distinct places
  kTwoDistinct,         // two different channels, half of the leaves each, at distinct places
  kTwoWithReplacement,  // two channels that may coincide, each leaf picks one of them and any place
  kAll,                 // every leaf picks any channel and any place
  kBalanced,            // as two-distinct, with channels paired by the wiring "balanced"
  kButterfly,           // as two-distinct, with channels paired by the wiring "butterfly"
};
std::vector<std::string> channel_rules();                   // their names, as users write them
ChannelRule channel_rule_from_name(std::string_view name);  // an Error where there is no such rule

struct Leaf {
  std::uint32_t channel, y, x;  // y, x within the window
  friend bool operator==(const Leaf&, const Leaf&) = default;
};

// Leaves of all filters of a layer at that place, [filters][leaves]. Channels are used equally often as far as the rule
// allows.
std::vector<Leaf> draw_tree_leaves(ChannelRule rule, const LayerPlace& place, const Extent& window, std::size_t filters,
                                   std::size_t leaves, RandomSequence& random);

}  // namespace firn::network
