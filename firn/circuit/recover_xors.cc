#include "firn/circuit/recover_xors.h"

#include "firn/circuit/rewrite.h"

namespace firn {

void recover_xors(Netlist& netlist) {
  // The new netlist grows in place, so that a kept gate can be looked up while later ones are rewritten.
  const auto and_behind = [&](Wire wire) -> const NetGate* {
    if (!wire.inverted() || !netlist.is_gate(wire.node())) return nullptr;
    const NetGate& gate = netlist.gate_of(wire.node());
    return gate.op == Gate::kAnd ? &gate : nullptr;
  };
  rewrite(netlist, [&](const NetGate& gate, const auto& keep) -> Wire {
    const NetGate* first = gate.op == Gate::kAnd ? and_behind(gate.a) : nullptr;
    const NetGate* second = first ? and_behind(gate.b) : nullptr;
    // not (p and q) and not (not p and not q) is p xor q.
    const bool opposite = second && ((first->a == !second->a && first->b == !second->b) ||
                                     (first->a == !second->b && first->b == !second->a));
    return opposite ? keep({first->a, first->b, Gate::kXor, gate.layer}) : keep(gate);
  });
}

}  // namespace firn
