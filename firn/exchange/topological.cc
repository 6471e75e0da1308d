#include "firn/exchange/topological.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "firn/base/error.h"

namespace firn::exchange {

namespace {

// Gate order[i] becomes gate i. Operands must come before their gates in the new order.
void reorder(Netlist& netlist, const std::vector<std::uint32_t>& order) {
  const std::size_t first = netlist.first_gate();
  std::vector<std::uint32_t> now(netlist.nodes());
  std::iota(now.begin(), now.end(), 0u);
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

}  // namespace

void sort_topologically(Netlist& netlist, const std::string& source) {
  enum class State : std::uint8_t { kNew, kOpen, kDone };
  const std::size_t first = netlist.first_gate();
  std::vector<State> states(netlist.gates.size(), State::kNew);
  std::vector<std::uint32_t> order;
  order.reserve(netlist.gates.size());
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
      order.push_back(static_cast<std::uint32_t>(g));
      stack.pop_back();
    }
  }
  reorder(netlist, order);
}

void sort_by_depth(Netlist& netlist) {
  const std::vector<std::uint32_t> depths = node_depths(netlist);
  std::vector<std::uint32_t> order(netlist.gates.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t g) { return depths[netlist.first_gate() + g]; });
  reorder(netlist, order);
}

}  // namespace firn::exchange
