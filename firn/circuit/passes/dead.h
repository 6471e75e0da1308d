// The pass "dead": gates that no output needs are removed.
#pragma once

#include "firn/circuit/netlist.h"

namespace firn {

void remove_dead_gates(Netlist& netlist);

}  // namespace firn
