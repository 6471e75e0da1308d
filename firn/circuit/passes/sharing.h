// The pass "sharing": of gates that compute the same function of the same nodes, or its complement, one remains.
#pragma once

#include "firn/circuit/netlist.h"

namespace firn {

// Operand order and inverters do not hide equality: gates are compared as functions of plain nodes in ascending order,
// normalised to be false where both are.
void share_equal_gates(Netlist& netlist);

}  // namespace firn
