#include "firn/network/kinds/tree_conv.h"

#include "firn/network/tree_leaves.h"

namespace firn::network {

void TreeConvSettings::declare(KeyTable& keys) {
  keys.add("filters", filters, "Trees, each of which writes one channel.", between(1, kMaxFeatures));
  keys.add("depth", depth, "Depth of a tree: 2^depth leaves, 2^depth - 1 gates.", between(1, 4));
  keys.add("window", window, "Side of the window that the leaves lie in.", between(1, 15));
  keys.add("padding", padding, "Zeros around the image.", between(0, 15));
  keys.add("stride", stride, "Pixels from one placement to the next.", between(1, 16));
  keys.add("pool", pool, "Side of the OR-pool: 1 for none, or 2.", between(1, 2));
  keys.add("channels", channels, "Which channels a tree reads.", one_of(channel_rules()));
}

LayerDescription TreeConvSettings::build(const LayerPlace& place) const {
  RandomSequence random = place.random(filters * gates());
  return draw(place, random);
}

LayerDescription TreeConvSettings::draw(const LayerPlace& place, RandomSequence& random) const {
  if (filters == 0) place.refuse("filters must be given");
  LayerDescription layer;
  layer.name = place.name;
  layer.kind = "tree-conv";
  layer.output.channels = filters;
  layer.is_convolution = true;
  layer.taps = std::size_t{1} << depth;
  layer.gates = layer.taps - 1;
  layer.operands = tree_operands(depth);
  layer.channel_tensor = "leaf_channel";
  layer.place_tensor = "leaf_place";
  place_window(place, window, padding, stride, pool, layer);
  for (const Leaf& leaf :
       draw_tree_leaves(channel_rule_from_name(channels), place, layer.window, filters, layer.taps, random)) {
    layer.tap_channel.push_back(leaf.channel);
    if (layer.window.size() > 1)
      layer.tap_place.push_back(static_cast<std::uint8_t>(leaf.y * layer.window.width + leaf.x));
  }
  return layer;
}

}  // namespace firn::network
