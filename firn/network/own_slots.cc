#include "firn/network/own_slots.h"

#include "firn/logic/gate.h"

namespace firn::network {

LayerDescription own_slots(const LayerPlace& place, std::size_t outputs) {
  if (outputs == 0) place.refuse("outputs must be given");
  LayerDescription layer;
  layer.input = {place.input.size(), 1, 1};
  layer.output = {outputs, 1, 1};
  layer.has_own_slots = true;
  layer.taps = 2 * kSlots;
  layer.channel_tensor = "wires";
  layer.tap_channel.resize(outputs * layer.taps);
  return layer;
}

}  // namespace firn::network
