#include "firn/circuit/netlist.h"

#include <fmt/format.h>

#include <algorithm>

#include "firn/base/error.h"

namespace firn::circuit {

std::uint64_t apply_words(Gate op, std::uint64_t a, std::uint64_t b) {
  std::uint64_t value = 0;
  if (eval(op, 0, 0)) value |= ~a & ~b;
  if (eval(op, 0, 1)) value |= ~a & b;
  if (eval(op, 1, 0)) value |= a & ~b;
  if (eval(op, 1, 1)) value |= a & b;
  return value;
}

void check_netlist(const Netlist& netlist, const std::string& source) {
  if (netlist.inputs >= kMaxNodes || netlist.gates.size() >= kMaxNodes || netlist.nodes() > kMaxNodes)
    throw Error(fmt::format("{} has {} inputs and {} gates; a netlist has no more than {} nodes", source,
                            netlist.inputs, netlist.gates.size(), kMaxNodes));
  for (std::size_t g = 0; g < netlist.gates.size(); ++g) {
    const NetGate& gate = netlist.gates[g];
    const std::uint32_t own = netlist.gate(g).node(), last = std::max(gate.a.node(), gate.b.node());
    if (last >= own)
      throw Error(
          fmt::format("gate {} of {} reads node {}, which is not before its own node {}; the circuit is cyclic "
                      "or out of order",
                      g, source, last, own));
    if (static_cast<unsigned>(gate.op) >= kGates)
      throw Error(fmt::format("gate {} of {} has the operation {}; there are only {}", g, source,
                              static_cast<unsigned>(gate.op), kGates));
  }
  for (std::size_t i = 0; i < netlist.outputs.size(); ++i)
    if (netlist.outputs[i].node() >= netlist.nodes())
      throw Error(fmt::format("output {} of {} is node {}, but there are only {}", i, source, netlist.outputs[i].node(),
                              netlist.nodes()));
}

bool is_canonical(const Netlist& netlist) {
  return std::ranges::all_of(netlist.gates, [](const NetGate& gate) {
    if (gate.a.is_constant() || gate.b.is_constant() || gate.a.node() == gate.b.node()) return false;
    return gate.op == Gate::kAnd || (gate.op == Gate::kXor && !gate.a.inverted() && !gate.b.inverted());
  });
}

std::vector<std::uint32_t> node_depths(const Netlist& netlist) {
  std::vector<std::uint32_t> depths(netlist.nodes());
  for (std::size_t g = 0; g < netlist.gates.size(); ++g) {
    const NetGate& gate = netlist.gates[g];
    depths[netlist.first_gate() + g] = 1 + std::max(depths[gate.a.node()], depths[gate.b.node()]);
  }
  return depths;
}

Matrix<std::uint64_t> simulate(const Netlist& netlist, const Matrix<std::uint64_t>& in) {
  FIRN_CHECK(in.rows() == netlist.inputs);
  Matrix<std::uint64_t> out(netlist.outputs.size(), in.cols());
  std::vector<std::uint64_t> values(netlist.nodes());  // of one word
  const auto value = [&](Wire wire) { return wire.inverted() ? ~values[wire.node()] : values[wire.node()]; };
  for (std::size_t w = 0; w < in.cols(); ++w) {
    for (std::size_t i = 0; i < netlist.inputs; ++i) values[1 + i] = in[i][w];
    for (std::size_t g = 0; g < netlist.gates.size(); ++g) {
      const NetGate& gate = netlist.gates[g];
      values[netlist.first_gate() + g] = apply_words(gate.op, value(gate.a), value(gate.b));
    }
    for (std::size_t o = 0; o < out.rows(); ++o) out[o][w] = value(netlist.outputs[o]);
  }
  return out;
}

}  // namespace firn::circuit
