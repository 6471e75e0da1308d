// A discrete logic gate network: plain data that both wings of the house share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "firn/base/shape.h"
#include "firn/logic/gate.h"

namespace firn {

// A tree of gates at every position of an image. A depth-1 tree is a single gate.
struct BooleanConv {
  Shape in, out;          // out after pooling
  std::size_t depth = 1;  // 2^depth leaves, 2^depth - 1 gates, numbered from the leaves to the root
  std::size_t side = 3, padding = 0, stride = 1;
  std::size_t pool = 1;                     // 2: OR over 2 x 2 positions
  std::vector<std::uint32_t> leaf_channel;  // [kernels][2^depth]
  std::vector<std::uint8_t> leaf_place;     // [kernels][2^depth] line * side + column in the window
  std::vector<Gate> gates;                  // [kernels][2^depth - 1]
};

// One gate per output on any two features.
struct BooleanDense {
  std::size_t inputs = 0;
  std::vector<std::uint32_t> wires;  // [outputs][2] features
  std::vector<Gate> gates;           // [outputs]
};

// OR over 2 x 2 positions.
struct BooleanPool {
  Shape in, out;
};

using BooleanLayer = std::variant<BooleanConv, BooleanDense, BooleanPool>;

Shape input_shape(const BooleanLayer& layer);
Shape output_shape(const BooleanLayer& layer);
std::span<const Gate> gates_of(const BooleanLayer& layer);  // as stored, once for all placements of a kernel
std::size_t padding_of(const BooleanLayer& layer);          // zero features the layer wants around its input

struct BooleanNetwork {
  Shape input;
  std::vector<std::string> names;  // one per layer
  std::vector<BooleanLayer> layers;
  std::size_t classes = 0;  // the last layer's outputs are counted in this many equal groups; the largest count wins,
                            // the lowest class on ties
};

inline constexpr std::size_t kMaxFeatures = std::size_t{1} << 26;  // of one layer; a file that claims more is refused

// Throws an Error that starts with `source` and names the layer unless every part fits: sizes that follow each other,
// wires and leaves that point to features, operations that exist, a head that divides the last layer. For networks that
// come from outside.
void check_network(const BooleanNetwork& network, const std::string& source);

}  // namespace firn
