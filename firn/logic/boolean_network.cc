#include "firn/logic/boolean_network.h"

#include <fmt/format.h>

#include <algorithm>

#include "firn/base/error.h"

namespace firn {

namespace {

template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Match(Cases...) -> Match<Cases...>;

bool is_small(const Shape& shape) {
  const std::size_t limit = kMaxFeatures;
  return shape.channels > 0 && shape.height > 0 && shape.width > 0 && shape.channels <= limit &&
         shape.height <= limit / shape.channels && shape.width <= limit / (shape.channels * shape.height);
}

template <class Values>
bool all_below(const Values& values, std::size_t limit) {
  return std::ranges::all_of(values, [=](auto value) { return static_cast<std::size_t>(value) < limit; });
}

// What is wrong with a layer, or null. Shapes have been found small.
const char* fault_of(const BooleanDense& dense) {
  if (dense.wires.size() != 2 * dense.gates.size()) return "does not have two wires for each gate";
  if (!all_below(dense.wires, dense.inputs)) return "has a wire to a feature that does not exist";
  if (!all_below(dense.gates, kGates)) return "has an unknown gate";
  return nullptr;
}

const char* fault_of(const BooleanPool& pool) {
  const Shape expected{pool.in.channels, pool.in.height / 2, pool.in.width / 2};
  return pool.out == expected ? nullptr : "does not halve the image";
}

const char* fault_of(const BooleanConv& conv) {
  if (conv.depth < 1 || conv.depth > 4) return "has trees of a depth that is not 1 to 4";
  if (conv.side < 1 || conv.side > 16 || conv.padding >= conv.side || conv.stride < 1 || conv.stride > 16)
    return "has an impossible window";
  if (conv.pool != 1 && conv.pool != 2) return "has a pool that is not 1 or 2";
  const std::size_t height = conv.in.height + 2 * conv.padding, width = conv.in.width + 2 * conv.padding;
  if (height < conv.side || width < conv.side) return "has a window larger than its image";
  const Shape expected{conv.out.channels, ((height - conv.side) / conv.stride + 1) / conv.pool,
                       ((width - conv.side) / conv.stride + 1) / conv.pool};
  if (conv.out != expected) return "has an output of the wrong size";
  const std::size_t leaves = conv.out.channels << conv.depth;
  if (conv.leaf_channel.size() != leaves || conv.leaf_place.size() != leaves ||
      conv.gates.size() != leaves - conv.out.channels)
    return "does not have its leaves and gates for each kernel";
  if (!all_below(conv.leaf_channel, conv.in.channels)) return "has a leaf in a channel that does not exist";
  if (!all_below(conv.leaf_place, conv.side * conv.side)) return "has a leaf outside its window";
  if (!all_below(conv.gates, kGates)) return "has an unknown gate";
  return nullptr;
}

}  // namespace

Shape input_shape(const BooleanLayer& layer) {
  return std::visit(Match{[](const BooleanDense& dense) {
                            return Shape{dense.inputs, 1, 1};
                          },
                          [](const auto& image) { return image.in; }},
                    layer);
}

Shape output_shape(const BooleanLayer& layer) {
  return std::visit(Match{[](const BooleanDense& dense) {
                            return Shape{dense.gates.size(), 1, 1};
                          },
                          [](const auto& image) { return image.out; }},
                    layer);
}

std::span<const Gate> gates_of(const BooleanLayer& layer) {
  return std::visit(Match{[](const BooleanPool&) { return std::span<const Gate>(); },
                          [](const auto& gated) { return std::span<const Gate>(gated.gates); }},
                    layer);
}

std::size_t padding_of(const BooleanLayer& layer) {
  const auto* conv = std::get_if<BooleanConv>(&layer);
  return conv != nullptr ? conv->padding : 0;
}

void check_network(const BooleanNetwork& network, const std::string& source) {
  const auto refuse = [&](const std::string& part) {
    throw Error(fmt::format("{}: {}; the network is damaged or was written by another program", source, part));
  };
  if (network.layers.empty() || network.layers.size() != network.names.size() || network.layers.size() > 0xffff)
    refuse(fmt::format("it has {} layers and {} names", network.layers.size(), network.names.size()));
  if (!is_small(network.input)) refuse("its input has an impossible size");
  std::size_t features = network.input.size();
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const BooleanLayer& layer = network.layers[i];
    const auto complain = [&](const char* fault) { refuse(fmt::format("layer \"{}\" {}", network.names[i], fault)); };
    const Shape in = input_shape(layer), out = output_shape(layer);
    if (!is_small(in) || !is_small(out)) complain("has an impossible size");
    if (in.size() != features) complain("does not read as many features as the layer before has");
    if (const char* fault = std::visit([](const auto& l) { return fault_of(l); }, layer)) complain(fault);
    features = out.size();
  }
  if (network.classes == 0 || network.classes > 0xffff || features % network.classes != 0)
    refuse(fmt::format("its {} outputs cannot be counted in {} equal groups", features, network.classes));
}

}  // namespace firn
