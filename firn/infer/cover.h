// Turns gates into instructions: a gate swallows the single-use gates before it, and inverters disappear.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "firn/circuit/netlist.h"

namespace firn::infer {

// One gate, or up to three of them in a tree whose inner values stay in registers.
struct Instruction {
  std::array<std::uint32_t, 4> operand{};  // nodes; as many as the kind reads
  std::uint32_t result = 0;                // the node it computes
  std::uint8_t kind = 0;                   // see gate_kind in kernels/circuit.h
};

struct Cover {
  std::vector<Instruction> instructions;  // in topological order
  std::vector<bool> inverted;             // per node: what is stored is the complement of its value
};

// The netlist is canonical. Storing some values inverted leaves four operations, each a single one on every machine.
Cover cover_gates(const Netlist& netlist);

}  // namespace firn::infer
