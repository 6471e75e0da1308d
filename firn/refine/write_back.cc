#include "firn/refine/write_back.h"

namespace firn::refine {

void freeze_gates(const BooleanNetwork& refined, const std::vector<bool>& layers, Model& model) {
  for (std::size_t group = 0; group < model.neurons().size(); ++group) {
    const std::size_t layer = boolean_layer_of(refined, group);
    if (!layers[layer]) continue;
    Neurons& neurons = *model.neurons()[group];
    const std::vector<std::uint8_t> slots = neurons.chosen_slots();
    for (std::size_t i = 0; i < neurons.count(); ++i) {
      const auto gate = static_cast<std::uint8_t>(refined.layers[layer].gates[i]);
      if (neurons.has_opcodes()) neurons.opcodes[i * kSlots + slots[i]] = gate;
      neurons.frozen[i] = static_cast<std::int8_t>(neurons.has_opcodes() ? slots[i] : gate);
    }
  }
}

}  // namespace firn::refine
