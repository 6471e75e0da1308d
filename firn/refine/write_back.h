// Puts the gates of a refined network back into the model that it was hardened from.
#pragma once

#include "firn/model/model.h"
#include "firn/network/boolean_network.h"

namespace firn::refine {

// The slot that stands for `gate` in neuron i of a group, whose chosen slot is `chosen`. Where a neuron's slots have
// gates and pairs of their own, that is the chosen one, which keeps its pair and gets the gate.
std::size_t slot_for_gate(model::Model& model, std::size_t group, std::size_t i, std::size_t chosen, logic::Gate gate);

// Freezes every neuron of the layers to its gate.
void freeze_gates(const network::BooleanNetwork& refined, const std::vector<bool>& layers, model::Model& model);

}  // namespace firn::refine
