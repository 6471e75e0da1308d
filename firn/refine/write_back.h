// Puts the gates of a refined network back into the model that it was hardened from.
#pragma once

#include "firn/model/model.h"
#include "firn/network/boolean_network.h"

namespace firn::refine {

// Freezes every neuron of the layers to its gate. Where a neuron's slots have gates and pairs of their own, the slot
// that was chosen keeps its pair and gets the gate.
void freeze_gates(const network::BooleanNetwork& refined, const std::vector<bool>& layers, model::Model& model);

}  // namespace firn::refine
