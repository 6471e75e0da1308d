#include "firn/network/kinds/slot_conv.h"

#include "firn/logic/gate.h"

namespace firn::network {

void SlotConvSettings::declare(KeyTable& keys) {
  keys.add("filters", filters, "Gates, each of which reads one input channel and writes one channel.",
           between(1, kMaxFeatures));
  keys.add("window", window, "Side of the window.", between(1, 5));
  keys.add("padding", padding, "Zeros around the image.", between(0, 15));
  keys.add("stride", stride, "Pixels from one placement to the next.", between(1, 16));
}

LayerDescription SlotConvSettings::build(const LayerPlace& place) const {
  if (filters == 0) place.refuse("filters must be given");
  LayerDescription layer;
  layer.output.channels = filters;
  layer.is_convolution = true;
  layer.has_own_slots = true;
  layer.taps = 2 * kSlots;
  layer.channel_tensor = "";  // filter k reads channel k modulo the number of channels
  layer.place_tensor = "taps";
  place_window(place, window, padding, stride, 1, layer);
  RandomSequence random = place.random(filters);
  const auto places = static_cast<std::uint32_t>(layer.window.size());
  for (std::size_t k = 0; k < filters; ++k)
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      const std::uint32_t a = random.below(places);
      std::uint32_t b = random.below(places);
      while (a == b && places > 1) b = random.below(places);
      layer.tap_channel.insert(layer.tap_channel.end(), 2, static_cast<std::uint32_t>(k % place.input.channels));
      if (places > 1)
        layer.tap_place.insert(layer.tap_place.end(), {static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)});
    }
  return layer;
}

}  // namespace firn::network
