// Orders of the gates of a netlist in which each reads earlier ones only.
#pragma once

#include <string>

#include "firn/circuit/netlist.h"

namespace firn::exchange {

// All wires must point to nodes of the netlist, in any order. An Error says so where the circuit has a cycle.
void sort_topologically(Netlist& netlist, const std::string& source);

// Gates of equal depth together, else in the order they have. Tools hand circuits back output by output; the engine
// runs them faster level by level, because then it sees which gates share operands.
void sort_by_depth(Netlist& netlist);

}  // namespace firn::exchange
