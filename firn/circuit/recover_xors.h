// Finds XORs that are spelled out as three ANDs, as and-inverter graphs have them.
#pragma once

#include <optional>
#include <utility>

#include "firn/circuit/netlist.h"

namespace firn::circuit {

// What p and q are, where "a and b" is "not (p and q) and not (not p and not q)", which is "p xor q".
std::optional<std::pair<Wire, Wire>> spelled_out_xor(const Netlist& netlist, Wire a, Wire b);

// The ANDs stay where they are; simplify() removes those that nothing else needs.
void recover_xors(Netlist& netlist);

}  // namespace firn::circuit
