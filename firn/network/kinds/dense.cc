#include "firn/network/kinds/dense.h"

#include <utility>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/network/wiring.h"

namespace firn::network {

void DenseSettings::declare(KeyTable& keys) {
  keys.add("outputs", outputs, "Gates.", between(1, kMaxFeatures));
  keys.add("wiring", wiring, "How gates pair their inputs.", one_of(names_of(wirings())));
}

LayerDescription DenseSettings::build(const LayerPlace& place) const {
  if (outputs == 0) place.refuse("outputs must be given");
  // Logits have the stream of the layer's name to themselves.
  RandomSequence random(place.seed, "model/" + place.name + "/wires");
  std::vector<std::uint32_t> wires;
  try {
    for (const WirePair& pair : draw_wiring(wiring, place, outputs, random))
      wires.insert(wires.end(), {pair.a, pair.b});
  } catch (const Error& error) {
    place.refuse(error.what());
  }
  return describe_dense(place.name, place.input.size(), std::move(wires));
}

LayerDescription describe_dense(std::string name, std::size_t inputs, std::vector<std::uint32_t> wires) {
  LayerDescription layer;
  layer.name = std::move(name);
  layer.kind = "dense";
  layer.input = {inputs, 1, 1};
  layer.output = {wires.size() / 2, 1, 1};
  layer.channel_tensor = "wires";
  layer.tap_channel = std::move(wires);
  return layer;
}

bool is_matching(const LayerDescription& above) {
  const std::size_t width = above.input.size();
  const std::vector<std::uint32_t>& wires = above.tap_channel;
  if (wires.size() != width) return false;
  std::vector<bool> seen(width, false);
  for (std::uint32_t wire : wires) {
    if (seen[wire]) return false;
    seen[wire] = true;
  }
  return true;
}

}  // namespace firn::network
