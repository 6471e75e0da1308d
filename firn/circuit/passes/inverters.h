// The pass "inverters": pass-throughs and inverters vanish into inverter bits, and only AND and XOR remain.
#pragma once

#include "firn/circuit/netlist.h"

namespace firn::circuit {

// A gate up to an inverter at its output.
struct PlainGate {
  NetGate gate;
  bool inverted;
};

// Of the ten gates that depend on both operands, eight are an AND and two are an XOR, up to inverters at the operands
// of the AND and at the output.
PlainGate plain_gate(const NetGate& gate);

// A rule for rewrite(): a gate that passes or inverts one operand becomes a wire; any other is kept as AND or XOR, and
// the inverter at its output moves to the gates behind.
struct AbsorbInverters {
  template <class Keep>
  Wire operator()(const NetGate& gate, const Keep& keep) const {
    if (!depends_on_b(gate.op))
      return depends_on_a(gate.op) ? gate.a ^ eval(gate.op, 0, 0) : kFalse ^ eval(gate.op, 0, 0);
    if (!depends_on_a(gate.op)) return gate.b ^ eval(gate.op, 0, 0);
    const PlainGate plain = plain_gate(gate);
    return keep(plain.gate) ^ plain.inverted;
  }
};

void absorb_inverters(Netlist& netlist);

}  // namespace firn::circuit
