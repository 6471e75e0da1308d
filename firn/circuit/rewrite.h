// Rebuilds a netlist in one sweep from the inputs to the outputs: the frame of every pass that replaces gates.
#pragma once

#include <utility>
#include <vector>

#include "firn/base/error.h"
#include "firn/circuit/netlist.h"

namespace firn::circuit {

// Calls rule(gate, keep) for every gate in order; its operands are already those of the new netlist. The rule returns
// the wire that takes the gate's place: an earlier wire, or keep(gate), which puts a gate into the new netlist. The
// netlist shrinks in place, because a new gate never comes later than the old one.
template <class Rule>
void rewrite(Netlist& netlist, Rule&& rule) {
  const std::size_t first = netlist.first_gate();
  std::vector<Wire> now(netlist.nodes());  // where each old node is found in the new netlist
  for (std::size_t node = 0; node < first; ++node) now[node] = Wire(static_cast<std::uint32_t>(node), false);
  const auto renamed = [&](Wire wire) { return now[wire.node()] ^ wire.inverted(); };

  std::size_t kept = 0;
  for (std::size_t g = 0; g < netlist.gates.size(); ++g) {
    NetGate gate = netlist.gates[g];
    gate.a = renamed(gate.a);
    gate.b = renamed(gate.b);
    now[first + g] = rule(std::as_const(gate), [&](const NetGate& replacement) {
      FIRN_DCHECK(kept <= g);
      netlist.gates[kept] = replacement;
      return netlist.gate(kept++);
    });
  }
  netlist.gates.resize(kept);
  for (Wire& output : netlist.outputs) output = renamed(output);
}

}  // namespace firn::circuit
