// Puts the gates of a netlist into an order in which each reads earlier ones only.
#pragma once

#include <string>

#include "firn/circuit/netlist.h"

namespace firn {

// All wires must point to nodes of the netlist, in any order. An Error says so where the circuit has a cycle.
void sort_topologically(Netlist& netlist, const std::string& source);

}  // namespace firn
