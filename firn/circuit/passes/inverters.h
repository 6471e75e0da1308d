// The pass "inverters": pass-throughs and inverters vanish into inverter bits, and only AND and XOR remain.
#pragma once

#include "firn/circuit/netlist.h"

namespace firn {

// A gate that passes or inverts one operand becomes a wire. Of the ten others, eight are an AND and two are an XOR, up
// to inverters at the operands and at the output; those at the output move to the gates behind.
void absorb_inverters(Netlist& netlist);

}  // namespace firn
