#include "firn/circuit/passes/sharing.h"

#include <bit>
#include <utility>

#include "firn/circuit/rewrite.h"

namespace firn {

namespace {

// A gate as a function of two plain nodes in ascending order, false where both are false.
struct Key {
  std::uint32_t low, high;
  Gate op;
  bool complemented;  // the gate is the complement of this function

  explicit Key(const NetGate& gate) : low(gate.a.node()), high(gate.b.node()) {
    op = with_inputs_inverted(gate.op, gate.a.inverted(), gate.b.inverted());
    if (low > high) {
      std::swap(low, high);
      op = with_inputs_swapped(op);
    }
    complemented = eval(op, 0, 0);
    if (complemented) op = complement(op);
  }
  bool same_function(const Key& other) const { return low == other.low && high == other.high && op == other.op; }
  std::uint64_t hash() const {
    const std::uint64_t pair = std::uint64_t{low} << 32 | high;
    return (pair + static_cast<std::uint64_t>(op) * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
  }
};

// The kept gates by their functions: open addressing, numbers of gates in the slots.
class SeenGates {
 public:
  explicit SeenGates(std::size_t gates) : slots_(std::bit_ceil(2 * gates + 2), kEmpty) {}

  // The slot of an equal gate, or the empty one where it belongs.
  std::uint32_t& find(const Key& key, const std::vector<NetGate>& gates) {
    const auto shift = 64 - std::bit_width(slots_.size() - 1);
    for (std::size_t at = key.hash() >> shift;; at = (at + 1) % slots_.size()) {
      std::uint32_t& slot = slots_[at];
      if (slot == kEmpty || Key(gates[slot]).same_function(key)) return slot;
    }
  }
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

 private:
  std::vector<std::uint32_t> slots_;
};

}  // namespace

void share_equal_gates(Netlist& netlist) {
  SeenGates seen(netlist.gates.size());
  rewrite(netlist, [&](const NetGate& gate, const auto& keep) {
    const Key key(gate);
    std::uint32_t& slot = seen.find(key, netlist.gates);
    if (slot != SeenGates::kEmpty)
      return netlist.gate(slot) ^ (key.complemented != Key(netlist.gates[slot]).complemented);
    const Wire kept = keep(gate);
    slot = static_cast<std::uint32_t>(kept.node() - netlist.first_gate());
    return kept;
  });
}

}  // namespace firn
