// What the gates of the discrete network are: constants, wires, gates nobody reads, gates far from their mixture.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "firn/diagnose/mixtures.h"
#include "firn/model/model.h"

namespace firn::diagnose {

struct GateRow {
  std::size_t group = 0, neuron = 0;  // neuron within its layer
  Gate gate = Gate::kFalse;           // of the chosen slot
  std::size_t slot = 0, nearest = 0;  // nearest: the slot closest to the mixture on random bits
  double weight = 0;                  // of the chosen slot
  bool is_frozen = false;
  bool is_dead = false;  // no output that is counted depends on it
};

constexpr bool is_constant(Gate g) {
  return !depends_on_a(g) && !depends_on_b(g);
}
// Copies or inverts one operand and ignores the other.
constexpr bool is_wire(Gate g) {
  return depends_on_a(g) != depends_on_b(g);
}

// Every neuron of the model, in the order of the layers.
std::vector<GateRow> take_gate_census(const Model& model, double temperature);

}  // namespace firn::diagnose
