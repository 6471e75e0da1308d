#include "firn/report/gate_mix.h"

#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"

namespace firn::report {

std::vector<LayerGates> gate_mix(const BooleanNetwork& network) {
  std::vector<LayerGates> layers;
  for (const BooleanLayer& layer : network.layers) layers.push_back({.name = layer.wiring.name});
  const auto count = [&](const Netlist& netlist, auto member) {
    for (const NetGate& gate : netlist.gates) {
      const Gate seen = with_inputs_inverted(gate.op, gate.a.inverted(), gate.b.inverted());
      ++(layers[gate.layer].*member)[static_cast<std::size_t>(seen)];
    }
  };
  Netlist netlist = lower(network);
  count(netlist, &LayerGates::before);
  simplify(netlist);
  count(netlist, &LayerGates::after);
  return layers;
}

}  // namespace firn::report
