// The pass "constants": a gate that does not depend on two different nodes becomes a constant or a wire.
#pragma once

#include "firn/circuit/netlist.h"

namespace firn {

// Folds constant operations, constant operands, and operands that are the same node, inverted or not.
void fold_constants(Netlist& netlist);

}  // namespace firn
