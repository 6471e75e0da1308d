#include "firn/network/kinds/slot_select.h"

#include "firn/logic/gate.h"
#include "firn/network/draw.h"

namespace firn::network {

void SlotSelectSettings::declare(KeyTable& keys) {
  keys.add("outputs", outputs, "Wires to choose.", between(1, kMaxFeatures));
}

LayerDescription SlotSelectSettings::build(const LayerPlace& place) const {
  if (outputs == 0) place.refuse("outputs must be given");
  LayerDescription layer;
  layer.input = {place.input.size(), 1, 1};
  layer.output = {outputs, 1, 1};
  layer.has_own_slots = true;
  layer.slots_are_wires = true;
  layer.taps = 2 * kSlots;
  layer.channel_tensor = "wires";
  layer.tap_channel.resize(outputs * layer.taps);
  RandomSequence random = place.random(outputs);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const std::vector<std::uint32_t> candidates = draw_balanced(layer.input.channels, outputs, random);
    for (std::size_t i = 0; i < outputs; ++i)
      for (std::size_t side = 0; side < 2; ++side) layer.tap_channel[i * layer.taps + 2 * slot + side] = candidates[i];
  }
  return layer;
}

}  // namespace firn::network
