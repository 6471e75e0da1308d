#include "firn/circuit/recover_xors.h"

#include "firn/circuit/rewrite.h"

namespace firn::circuit {

std::optional<std::pair<Wire, Wire>> spelled_out_xor(const Netlist& netlist, Wire a, Wire b) {
  const auto and_behind = [&](Wire wire) -> const NetGate* {
    if (!wire.inverted() || !netlist.is_gate(wire.node())) return nullptr;
    const NetGate& gate = netlist.gate_of(wire.node());
    return gate.op == Gate::kAnd ? &gate : nullptr;
  };
  const NetGate* first = and_behind(a);
  const NetGate* second = first ? and_behind(b) : nullptr;
  const bool opposite = second && ((first->a == !second->a && first->b == !second->b) ||
                                   (first->a == !second->b && first->b == !second->a));
  if (!opposite) return std::nullopt;
  return std::pair(first->a, first->b);
}

void recover_xors(Netlist& netlist) {
  // The new netlist grows in place, so that a kept gate can be looked up while later ones are rewritten.
  rewrite(netlist, [&](const NetGate& gate, const auto& keep) -> Wire {
    const auto operands = gate.op == Gate::kAnd ? spelled_out_xor(netlist, gate.a, gate.b) : std::nullopt;
    return operands ? keep({operands->first, operands->second, Gate::kXor, gate.layer}) : keep(gate);
  });
}

}  // namespace firn::circuit
