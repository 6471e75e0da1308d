// Random netlists for tests: all gates, inverters, constants; most gates read recent ones, so that much matters.
#pragma once

#include "firn/circuit/netlist.h"
#include "tests/support/random_networks.h"

namespace firn {

inline Netlist random_netlist(std::size_t inputs, std::size_t gates, std::size_t outputs, std::uint64_t seed) {
  RandomSequence random(seed, "test/netlist");
  Netlist netlist;
  netlist.inputs = inputs;
  const auto wire = [&] {
    const auto nodes = static_cast<std::uint32_t>(netlist.nodes());
    const std::uint32_t recent = std::min(nodes, static_cast<std::uint32_t>(2 * inputs));
    const std::uint32_t node = random.below(4) == 0 ? random.below(nodes) : nodes - 1 - random.below(recent);
    return Wire(node, random.below(2) != 0);
  };
  const auto gate = [&] {
    Gate op = random_gate(random);
    while (random.below(4) != 0 && !(depends_on_a(op) && depends_on_b(op))) op = random_gate(random);
    return op;
  };
  for (std::size_t g = 0; g < gates; ++g) {
    const Wire a = wire(), b = wire();
    netlist.gates.push_back({a, b, gate(), 0});
  }
  for (std::size_t o = 0; o < outputs; ++o) netlist.outputs.push_back(wire());
  return netlist;
}

}  // namespace firn
