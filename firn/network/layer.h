// One layer of a network as plain data: units of gates, what they read, and where they are placed.
//
// A layer has one unit for each output channel. A unit reads `taps`, places in a window of the input, and combines them
// by `gates`; its last node is its output. The unit is placed all over the image, and neighbouring placements may be
// joined by an OR-pool. A dense layer is the same with one placement: a unit is a gate, its window one feature.
// Whatever is not made for speed (the reference, cones, gate lists, liveness, lowering, Boolean evaluation) asks for
// nothing but this, so that a new kind of layer needs no change there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firn/base/random.h"
#include "firn/base/shape.h"
#include "firn/base/state.h"

namespace firn::network {

// Lines and columns of a window, a pool or a margin.
struct Extent {
  std::size_t height = 1, width = 1;

  constexpr std::size_t size() const { return height * width; }
  friend constexpr bool operator==(const Extent&, const Extent&) = default;
};

inline constexpr std::uint32_t kOutside = ~std::uint32_t{0};  // where a tap lies in the padding: it reads 0
inline constexpr std::size_t kMaxPool = 4;                    // placements under one pool
inline constexpr std::size_t kMaxUnitTaps = 32, kMaxUnitGates = 31;

// All of a layer but the arrays of its taps.
struct LayerFrame {
  std::string name;     // unique in its network, such as conv1
  std::string kind;     // as users write it, such as tree-conv
  Shape input, output;  // output after pooling

  std::size_t taps = 2;   // of each unit
  std::size_t gates = 1;  // of each unit, each a neuron of its own; 0: the unit passes on its only tap
  std::vector<std::uint8_t> operands = {0, 1};  // [gates][2] nodes of the unit: taps first, then gates
  // Each of the sixteen slots of the unit's only gate has a gate and a pair of its own: slot k reads taps 2k and 2k
  // + 1.
  bool has_own_slots = false;
  bool slots_are_wires = false;  // with slots of its own: each passes its first tap on, and only taps are chosen

  Extent window, pool;
  Extent padding = {0, 0};  // lines above and below, columns left and right, that read 0
  std::size_t stride = 1;
  bool is_convolution = false;  // counts as a convolution where users name "conv"

  // Names of the two arrays of taps in checkpoints; an array without a name never changes and is not stored.
  std::string channel_tensor = "tap_channel", place_tensor = "tap_place";

  std::size_t units() const { return output.channels; }
  std::size_t neurons() const { return units() * gates; }
  std::size_t unit_outputs() const { return output.height * output.width; }
  std::size_t nodes() const { return taps + gates; }
  std::size_t placements() const { return unit_outputs() * pool.size(); }  // of each unit
  std::size_t border() const { return std::max(padding.height, padding.width); }

  // The node that an operand (side 0 or 1) of a slot of a unit's gate reads.
  std::size_t operand(std::size_t gate, std::size_t slot, std::size_t side) const {
    return has_own_slots ? 2 * slot + side : operands[2 * gate + side];
  }
};

struct LayerDescription : LayerFrame {
  std::vector<std::uint32_t> tap_channel;  // [units][taps]
  std::vector<std::uint8_t> tap_place;     // [units][taps] line * window.width + column; empty: the window is one place

  // The input feature under a tap of a unit for output number `output` of the unit, at `position` of its pool, or
  // kOutside.
  std::uint32_t feature(std::size_t unit, std::size_t tap, std::size_t output_number, std::size_t position) const;
  // The row of `in` under a tap at the first placement; others lie stride * (line * in.line() + column) rows further.
  // The border of `in` is at least border().
  std::uint32_t first_row(std::size_t unit, std::size_t tap, const RowLayout& in) const;
};

// Shows the wiring to a checkpoint.
void visit_wiring(LayerDescription& layer, StateVisitor& visitor);

// Draws new taps for one slot of a unit with slots of its own: anywhere in the window or, where the window is one place
// and channels may change, in any channel.
void redraw_slot(LayerDescription& layer, std::size_t unit, std::size_t slot, RandomSequence& random);

// Throws an Error that names the layer unless every tap lies in the input; for wiring that comes from a file.
void check_wiring(const LayerDescription& layer);

// What is wrong with a layer, or null; for descriptions that come from outside. Shapes have been found small.
const char* fault_of(const LayerDescription& layer);

// The window moved over an image: how many placements there are, before pooling; 0 where it does not fit.
Extent placements_of(const Shape& input, const Extent& window, const Extent& padding, std::size_t stride);

// Structure that fast code looks for.
// The depth of the trees if each unit is a complete binary tree whose gate g reads nodes 2g and 2g + 1; otherwise 0.
std::size_t tree_depth(const LayerDescription& layer);
bool is_placed_once(const LayerDescription& layer);  // reads single features and writes one output per unit
bool is_pool(const LayerDescription& layer);         // OR of 2 x 2 places of one channel, no gates

// Operands of complete binary trees, from the leaves to the root.
std::vector<std::uint8_t> tree_operands(std::size_t depth);

}  // namespace firn::network
