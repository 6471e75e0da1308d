#include "firn/circuit/passes/dead.h"

#include "firn/circuit/rewrite.h"

namespace firn::circuit {

void remove_dead_gates(Netlist& netlist) {
  std::vector<bool> needed(netlist.nodes());
  for (Wire output : netlist.outputs) needed[output.node()] = true;
  for (std::size_t g = netlist.gates.size(); g-- > 0;)
    if (needed[netlist.gate(g).node()]) {
      needed[netlist.gates[g].a.node()] = true;
      needed[netlist.gates[g].b.node()] = true;
    }
  std::size_t node = netlist.first_gate();
  rewrite(netlist, [&](const NetGate& gate, const auto& keep) { return needed[node++] ? keep(gate) : kFalse; });
}

}  // namespace firn::circuit
