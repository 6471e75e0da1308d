// Which slot of a neuron is nearest to its mixture as a function, whatever the data are.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "firn/logic/gate.h"
#include "firn/model/neurons.h"
#include "firn/network/layer.h"

namespace firn::discretize {

// A slot as a function of bits; operands with equal numbers are the same bit.
struct GateOnWires {
  Gate gate;
  std::uint32_t a, b;
};
std::array<GateOnWires, kSlots> slots_on_wires(const LayerDescription& wiring, const Neurons& neurons, std::size_t i);

// The candidate with the smallest mean squared distance to the mixture when every wire is an independent fair bit. For
// sixteen gates on one pair this rounds the four entries of the mean truth table. The first candidate wins ties.
std::size_t nearest_slot(const std::array<GateOnWires, kSlots>& slots, const std::array<double, kSlots>& weights,
                         std::span<const std::size_t> candidates);

}  // namespace firn::discretize
