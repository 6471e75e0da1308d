#include "firn/refine/write_back.h"

namespace firn::refine {

std::size_t slot_for_gate(Model& model, std::size_t group, std::size_t i, std::size_t chosen, Gate gate) {
  Neurons& neurons = *model.neurons()[group];
  const auto number = static_cast<std::uint8_t>(gate);
  if (!neurons.has_opcodes()) return number;
  neurons.opcodes[i * kSlots + chosen] = number;
  model.layer(model.layer_of(group)).rewire_neuron(i);  // layers may read only the operands that a gate depends on
  return chosen;
}

void freeze_gates(const BooleanNetwork& refined, const std::vector<bool>& layers, Model& model) {
  for (std::size_t group = 0; group < model.neurons().size(); ++group) {
    const std::size_t layer = boolean_layer_of(refined, group);
    if (!layers[layer]) continue;
    Neurons& neurons = *model.neurons()[group];
    const std::vector<std::uint8_t> slots = neurons.chosen_slots();
    for (std::size_t i = 0; i < neurons.count(); ++i)
      neurons.frozen[i] =
          static_cast<std::int8_t>(slot_for_gate(model, group, i, slots[i], refined.layers[layer].gates[i]));
  }
}

}  // namespace firn::refine
