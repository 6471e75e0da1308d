#include "firn/network/kinds/slot_dense.h"

#include "firn/base/error.h"
#include "firn/logic/gate.h"
#include "firn/network/own_slots.h"
#include "firn/network/wiring.h"

namespace firn::network {

void SlotDenseSettings::declare(KeyTable& keys) {
  keys.add("outputs", outputs, "Gates.", between(1, kMaxFeatures));
}

LayerDescription SlotDenseSettings::build(const LayerPlace& place) const {
  LayerDescription layer = own_slots(place, outputs);
  RandomSequence random = place.random(outputs);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    // Every slot spreads its wires evenly over the inputs, as a dense layer would.
    std::vector<WirePair> pairs;
    try {
      pairs = draw_wiring("random", place, outputs, random);
    } catch (const Error& error) {
      place.refuse(error.what());
    }
    for (std::size_t i = 0; i < outputs; ++i) {
      layer.tap_channel[i * layer.taps + 2 * slot] = pairs[i].a;
      layer.tap_channel[i * layer.taps + 2 * slot + 1] = pairs[i].b;
    }
  }
  return layer;
}

}  // namespace firn::network
