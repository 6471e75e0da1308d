#include "firn/exchange/topological.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "firn/base/error.h"

namespace firn {

void sort_topologically(Netlist& netlist, const std::string& source) {
  enum class State : std::uint8_t { kNew, kOpen, kDone };
  const std::size_t first = netlist.first_gate();
  std::vector<State> states(netlist.gates.size(), State::kNew);
  std::vector<std::uint32_t> now(netlist.nodes());
  for (std::size_t node = 0; node < first; ++node) now[node] = static_cast<std::uint32_t>(node);
  std::vector<NetGate> sorted;
  sorted.reserve(netlist.gates.size());
  std::vector<std::size_t> stack;  // depth first, without recursion: circuits are deeper than call stacks

  const auto visit_operand = [&](Wire wire) {
    if (!netlist.is_gate(wire.node())) return false;
    const std::size_t gate = wire.node() - first;
    if (states[gate] == State::kDone) return false;
    if (states[gate] == State::kOpen) throw Error(fmt::format("{}: the circuit is cyclic", source));
    stack.push_back(gate);
    return true;
  };
  for (std::size_t root = 0; root < netlist.gates.size(); ++root) {
    if (states[root] != State::kNew) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const std::size_t g = stack.back();
      const NetGate& gate = netlist.gates[g];
      states[g] = State::kOpen;
      if (visit_operand(gate.a) || visit_operand(gate.b)) continue;
      states[g] = State::kDone;
      now[first + g] = static_cast<std::uint32_t>(first + sorted.size());
      sorted.push_back({Wire(now[gate.a.node()], gate.a.inverted()), Wire(now[gate.b.node()], gate.b.inverted()),
                        gate.op, gate.layer});
      stack.pop_back();
    }
  }
  netlist.gates = std::move(sorted);
  for (Wire& output : netlist.outputs) output = Wire(now[output.node()], output.inverted());
}

void sort_by_depth(Netlist& netlist) {
  const std::size_t first = netlist.first_gate();
  const std::vector<std::uint32_t> depths = node_depths(netlist);
  std::vector<std::uint32_t> order(netlist.gates.size()), now(netlist.nodes());
  std::iota(order.begin(), order.end(), 0u);
  std::iota(now.begin(), now.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t g) { return depths[first + g]; });
  for (std::size_t i = 0; i < order.size(); ++i) now[first + order[i]] = static_cast<std::uint32_t>(first + i);
  const auto renamed = [&](Wire wire) { return Wire(now[wire.node()], wire.inverted()); };
  std::vector<NetGate> sorted;
  sorted.reserve(order.size());
  for (std::uint32_t g : order) {
    const NetGate& gate = netlist.gates[g];
    sorted.push_back({renamed(gate.a), renamed(gate.b), gate.op, gate.layer});
  }
  netlist.gates = std::move(sorted);
  for (Wire& output : netlist.outputs) output = renamed(output);
}

}  // namespace firn
