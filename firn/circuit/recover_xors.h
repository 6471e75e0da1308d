// Finds XORs that are spelled out as three ANDs, as and-inverter graphs have them.
#pragma once

#include "firn/circuit/netlist.h"

namespace firn {

// The ANDs stay where they are; simplify() removes those that nothing else needs.
void recover_xors(Netlist& netlist);

}  // namespace firn
