// Which wires gates read: drawn once from a seed, before training.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "firn/base/random.h"

namespace firn {

struct WirePair {
  std::uint32_t a, b;
};

// How a dense layer pairs its inputs.
enum class DenseWiring {
  kRandom,        // every input equally often, in random pairs
  kUnique,        // no pair twice; neighbours in feature order first
  kRandomUnique,  // no pair twice, over randomly relabelled inputs
};
DenseWiring dense_wiring_from_name(std::string_view name);  // "random", "unique", "random-unique"

// Pairs for `neurons` gates over `inputs` wires; 2 * neurons >= inputs, so that every input can be used. `random` does
// use them all, `unique` does for an even number of inputs, `random-unique` once there are as many gates as inputs.
std::vector<WirePair> draw_dense_wiring(DenseWiring rule, std::size_t inputs, std::size_t neurons,
                                        RandomSequence& random);

// Which input channels a tree reads.
enum class ChannelRule {
  kOne,                 // one channel, leaves at distinct places
  kTwoDistinct,         // two different channels, half of the leaves each, at distinct places
  kTwoWithReplacement,  // two channels that may coincide, each leaf picks one of them and any place
  kAll,                 // every leaf picks any channel and any place
};
ChannelRule channel_rule_from_name(std::string_view name);  // "one", "two-distinct", "two-with-replacement", "all"

struct Leaf {
  std::uint32_t channel, y, x;  // y, x within the kernel's window
  friend bool operator==(const Leaf&, const Leaf&) = default;
};

// Leaves of all kernels, [kernels][leaves]. Channels are used equally often as far as the rule allows.
std::vector<Leaf> draw_tree_leaves(ChannelRule rule, std::size_t channels, std::size_t side, std::size_t kernels,
                                   std::size_t leaves, RandomSequence& random);

// Each of 0..values-1 equally often (as far as it divides) in random order, `count` numbers in all.
std::vector<std::uint32_t> draw_balanced(std::size_t values, std::size_t count, RandomSequence& random);

}  // namespace firn
