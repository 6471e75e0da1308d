#include "firn/network/boolean_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "firn/base/error.h"
#include "firn/kernels/mixture.h"
#include "firn/network/kinds/dense.h"

namespace firn::network {

namespace {

const char* fault_of(const BooleanLayer& layer) {
  const Shape& input = layer.wiring.input;
  if (!is_small(input) || !is_small(layer.wiring.output)) return "has an impossible size";
  if (layer.wiring.has_own_slots) return "still has slots to choose from";
  if (const char* fault = fault_of(layer.wiring)) return fault;
  const std::size_t both_borders = 2 * layer.wiring.border();
  if (!is_small({input.channels, input.height + both_borders, input.width + both_borders}))
    return "has an impossible size";
  if (layer.gates.size() != layer.wiring.neurons()) return "does not have its gates for each unit";
  const auto exists = [](Gate gate) { return static_cast<int>(gate) < kGates; };
  return std::ranges::all_of(layer.gates, exists) ? nullptr : "has an unknown gate";
}

[[noreturn]] void refuse(const std::string& source, const std::string& part) {
  throw Error(fmt::format("{}: {}; the network is damaged or was written by another program", source, part));
}

}  // namespace

void check_layer(const BooleanLayer& layer, const Shape& below, const std::string& source) {
  const auto complain = [&](const char* fault) {
    refuse(source, fmt::format("layer \"{}\" {}", layer.wiring.name, fault));
  };
  if (const char* fault = fault_of(layer)) complain(fault);
  if (layer.wiring.input.size() != below.size()) complain("does not read as many features as the layer before has");
  // Dense layers read images as rows of features, but where there is a border, rows stand where the image has them.
  if (layer.wiring.border() > 0 && layer.wiring.input != below)
    complain("pads an image of another shape than the layer before has");
}

void check_network(const BooleanNetwork& network, const std::string& source) {
  if (network.layers.empty() || network.layers.size() > kMaxLayers)
    refuse(source, fmt::format("it has {} layers", network.layers.size()));
  if (!is_small(network.input)) refuse(source, "its input has an impossible size");
  Shape below = network.input;
  for (const BooleanLayer& layer : network.layers) {
    check_layer(layer, below, source);
    below = layer.wiring.output;
  }
  const std::size_t groups = network.head.groups, features = below.size();
  if (groups == 0 || groups > 0xffff || features % groups != 0)
    refuse(source, fmt::format("its {} outputs cannot be counted in {} equal groups", features, groups));
}

BooleanLayer harden(const LayerDescription& layer, const std::vector<std::uint8_t>& slots,
                    const std::vector<std::uint8_t>& opcodes) {
  FIRN_CHECK(slots.size() == layer.neurons());
  BooleanLayer hard;
  hard.gates.reserve(slots.size());
  if (!layer.has_own_slots) {
    hard.wiring = layer;
    for (std::uint8_t slot : slots) hard.gates.push_back(static_cast<Gate>(slot));
    return hard;
  }
  LayerDescription& wiring = hard.wiring;
  const std::vector<std::uint32_t>& channels = layer.tap_channel;
  const std::vector<std::uint8_t>& places = layer.tap_place;
  static_cast<LayerFrame&>(wiring) = layer;
  wiring.has_own_slots = false;
  wiring.taps = 2;
  for (std::size_t u = 0; u < slots.size(); ++u) {
    for (std::size_t tap = u * layer.taps + 2 * slots[u], side = 0; side < 2; ++side, ++tap) {
      wiring.tap_channel.push_back(channels[tap]);
      if (!places.empty()) wiring.tap_place.push_back(places[tap]);
    }
    hard.gates.push_back(static_cast<Gate>(opcodes[u * kSlots + slots[u]]));
  }
  return hard;
}

std::size_t boolean_layer_of(const BooleanNetwork& network, std::size_t group) {
  for (std::size_t l = 0, seen = 0; l < network.layers.size(); ++l)
    if (!network.layers[l].gates.empty() && seen++ == group) return l;
  FIRN_CHECK(false && "a group without a layer");
  return 0;
}

BooleanLayer boolean_dense(std::string name, std::size_t inputs, std::vector<std::uint32_t> wires,
                           std::vector<Gate> gates) {
  return {describe_dense(std::move(name), inputs, std::move(wires)), std::move(gates)};
}

}  // namespace firn::network
