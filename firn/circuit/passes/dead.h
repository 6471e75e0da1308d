// The pass "dead": gates that no output needs are removed.
#pragma once

#include "firn/circuit/netlist.h"

namespace firn::circuit {

void remove_dead_gates(Netlist& netlist);

}  // namespace firn::circuit
