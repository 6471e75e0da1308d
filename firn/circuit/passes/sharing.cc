#include "firn/circuit/passes/sharing.h"

#include <bit>
#include <utility>

#include "firn/circuit/rewrite.h"

namespace firn::circuit {

GateFunction::GateFunction(const NetGate& gate) : low(gate.a.node()), high(gate.b.node()) {
  op = with_inputs_inverted(gate.op, gate.a.inverted(), gate.b.inverted());
  if (low > high) {
    std::swap(low, high);
    op = with_inputs_swapped(op);
  }
  complemented = eval(op, 0, 0);
  if (complemented) op = complement(op);
}

std::uint64_t GateFunction::hash() const {
  const std::uint64_t pair = std::uint64_t{low} << 32 | high;
  return (pair + static_cast<std::uint64_t>(op) * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
}

ShareEqualGates::ShareEqualGates(const Netlist& netlist)
    : netlist_(netlist), slots_(std::bit_ceil(netlist.gates.size() * 3 / 2 + 2), kEmpty) {}

std::uint32_t& ShareEqualGates::find(const GateFunction& function) {
  const auto shift = 64 - std::bit_width(slots_.size() - 1);
  for (std::size_t at = function.hash() >> shift;; at = (at + 1) % slots_.size()) {
    std::uint32_t& slot = slots_[at];
    if (slot == kEmpty || GateFunction(netlist_.gates[slot]).same_as(function)) return slot;
  }
}

void share_equal_gates(Netlist& netlist) {
  rewrite(netlist, ShareEqualGates(netlist));
}

}  // namespace firn::circuit
