#include "firn/network/kinds/slot_select.h"

#include "firn/logic/gate.h"
#include "firn/network/draw.h"
#include "firn/network/own_slots.h"

namespace firn::network {

void SlotSelectSettings::declare(KeyTable& keys) {
  keys.add("outputs", outputs, "Wires to choose.", between(1, kMaxFeatures));
}

LayerDescription SlotSelectSettings::build(const LayerPlace& place) const {
  LayerDescription layer = own_slots(place, outputs);
  layer.slots_are_wires = true;
  RandomSequence random = place.random(outputs);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const std::vector<std::uint32_t> candidates = draw_balanced(layer.input.channels, outputs, random);
    for (std::size_t i = 0; i < outputs; ++i)
      for (std::size_t side = 0; side < 2; ++side) layer.tap_channel[i * layer.taps + 2 * slot + side] = candidates[i];
  }
  return layer;
}

}  // namespace firn::network
