// A model's gates one by one, every position of a convolution written out: what enumeration and interval bounds walk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/base/error.h"
#include "firn/logic/gate.h"
#include "firn/model/model.h"

namespace firn::theory {

// One gate at one place. Wires are numbered inputs first, then applications.
struct Application {
  std::uint32_t neuron;  // whose gate it is, or kPoolGate
  std::uint32_t a, b;    // wires, or kZeroWire
};
inline constexpr std::uint32_t kPoolGate = ~std::uint32_t{0};  // the fixed OR of a pool
inline constexpr std::uint32_t kZeroWire = ~std::uint32_t{0};  // the padding around an image

struct GateList {
  std::size_t inputs = 0;
  std::size_t neurons = 0;                // of all groups, in the order of Model::neurons()
  std::vector<Application> applications;  // operands come before their gates
  std::vector<std::uint32_t> outputs;     // wires that the head counts, in equal contiguous groups
  std::size_t groups = 1;                 // class sums
  double factor = 1, offset = 0;          // class sum = offset + factor * count
  bool is_shared = false;                 // some neuron acts at more than one place
  bool has_pool = false;

  std::size_t group_rows() const { return outputs.size() / groups; }
};

// For models whose slots share one pair of wires; others choose wires with the gate and have no such list.
GateList list_gates(const Model& model);

// The value of every wire: inputs are given, apply(neuron, a, b) says what a gate makes of its operands.
template <class T, class Apply>
std::vector<T> walk(const GateList& list, std::vector<T> inputs, const Apply& apply) {
  FIRN_DCHECK(inputs.size() == list.inputs);
  std::vector<T> wires = std::move(inputs);
  wires.reserve(list.inputs + list.applications.size());
  const auto read = [&](std::uint32_t wire) { return wire == kZeroWire ? T(0) : wires[wire]; };
  for (const Application& gate : list.applications) wires.push_back(apply(gate.neuron, read(gate.a), read(gate.b)));
  return wires;
}

}  // namespace firn::theory
