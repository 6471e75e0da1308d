#include "firn/circuit/passes/inverters.h"

#include <bit>

#include "firn/circuit/rewrite.h"

namespace firn {

namespace {

// The gate with one true value: it is an AND of operands inverted where that value wants them false.
NetGate as_and(const NetGate& gate) {
  for (int ab = 0; ab < 4; ++ab)
    if (eval(gate.op, ab / 2, ab % 2)) return {gate.a ^ (ab / 2 == 0), gate.b ^ (ab % 2 == 0), Gate::kAnd, gate.layer};
  FIRN_CHECK(false);
  return gate;
}

}  // namespace

void absorb_inverters(Netlist& netlist) {
  rewrite(netlist, [](const NetGate& gate, const auto& keep) -> Wire {
    switch (gate.op) {
      case Gate::kFalse:
      case Gate::kTrue:
        return kFalse ^ (gate.op == Gate::kTrue);
      case Gate::kA:
      case Gate::kNotA:
        return gate.a ^ (gate.op == Gate::kNotA);
      case Gate::kB:
      case Gate::kNotB:
        return gate.b ^ (gate.op == Gate::kNotB);
      case Gate::kXor:
      case Gate::kXnor: {
        const bool inverted = (gate.op == Gate::kXnor) != (gate.a.inverted() != gate.b.inverted());
        return keep({gate.a ^ gate.a.inverted(), gate.b ^ gate.b.inverted(), Gate::kXor, gate.layer}) ^ inverted;
      }
      default:
        break;
    }
    const bool inverted = std::popcount(static_cast<unsigned>(gate.op)) == 3;
    NetGate plain = gate;
    if (inverted) plain.op = complement(gate.op);
    return keep(as_and(plain)) ^ inverted;
  });
}

}  // namespace firn
