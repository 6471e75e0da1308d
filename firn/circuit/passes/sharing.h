// The pass "sharing": of gates that compute the same function of the same nodes, or its complement, one remains.
#pragma once

#include <cstdint>
#include <vector>

#include "firn/circuit/netlist.h"

namespace firn::circuit {

// A gate as a function of two plain nodes in ascending order, false where both are false: operand order and inverters
// do not hide equality.
struct GateFunction {
  explicit GateFunction(const NetGate& gate);

  bool same_as(const GateFunction& other) const { return low == other.low && high == other.high && op == other.op; }
  std::uint64_t hash() const;

  std::uint32_t low, high;
  Gate op;
  bool complemented;  // the gate is the complement of this function
};

// A rule for rewrite(): replaces a gate by an earlier one that computes the same, and remembers those it keeps. It must
// not outlive the netlist that is rewritten.
class ShareEqualGates {
 public:
  explicit ShareEqualGates(const Netlist& netlist);

  template <class Keep>
  Wire operator()(const NetGate& gate, const Keep& keep) {
    const GateFunction function(gate);
    std::uint32_t& slot = find(function);
    if (slot != kEmpty)
      return netlist_.gate(slot) ^ (function.complemented != GateFunction(netlist_.gates[slot]).complemented);
    const Wire kept = keep(gate);
    slot = static_cast<std::uint32_t>(kept.node() - netlist_.first_gate());
    return kept;
  }

 private:
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

  // The slot of an equal gate, or the empty one where it belongs.
  std::uint32_t& find(const GateFunction& function);

  const Netlist& netlist_;
  std::vector<std::uint32_t> slots_;  // numbers of kept gates by their functions; open addressing
};

void share_equal_gates(Netlist& netlist);

}  // namespace firn::circuit
