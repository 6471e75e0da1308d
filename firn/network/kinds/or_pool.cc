#include "firn/network/kinds/or_pool.h"

namespace firn::network {

LayerDescription OrPoolSettings::build(const LayerPlace& place) const {
  LayerDescription layer;
  layer.output.channels = place.input.channels;
  layer.taps = 1;
  layer.gates = 0;
  layer.operands = {};
  layer.channel_tensor = "";
  place_window(place, /*side=*/1, /*padding=*/0, /*stride=*/1, /*pool=*/2, layer);
  for (std::uint32_t c = 0; c < place.input.channels; ++c) layer.tap_channel.push_back(c);
  return layer;
}

}  // namespace firn::network
