#include "firn/circuit/passes/inverters.h"

#include <bit>

#include "firn/circuit/rewrite.h"

namespace firn::circuit {

PlainGate plain_gate(const NetGate& gate) {
  const Wire a{gate.a.node(), false}, b{gate.b.node(), false};
  if (gate.op == Gate::kXor || gate.op == Gate::kXnor)
    return {{a, b, Gate::kXor, gate.layer}, (gate.op == Gate::kXnor) != (gate.a.inverted() != gate.b.inverted())};
  // With a single true value the gate is an AND of operands inverted where that value wants them false; with three, its
  // complement is.
  const bool inverted = std::popcount(static_cast<unsigned>(gate.op)) == 3;
  const Gate op = inverted ? complement(gate.op) : gate.op;
  const int only = eval(op, 0, 0) ? 0 : eval(op, 0, 1) ? 1 : eval(op, 1, 0) ? 2 : 3;  // 2 * a + b
  return {{gate.a ^ (only / 2 == 0), gate.b ^ (only % 2 == 0), Gate::kAnd, gate.layer}, inverted};
}

void absorb_inverters(Netlist& netlist) {
  rewrite(netlist, AbsorbInverters{});
}

}  // namespace firn::circuit
