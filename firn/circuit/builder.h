// Grows a netlist gate by gate; constants are folded, equal gates shared and spelled-out XORs found on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "firn/circuit/netlist.h"

namespace firn::circuit {

class NetBuilder {
 public:
  explicit NetBuilder(std::size_t inputs) : levels_(1 + inputs, 0) { netlist_.inputs = inputs; }

  Wire input(std::size_t i) const { return netlist_.input(i); }
  std::vector<Wire> inputs() const;  // all of them
  Wire make_and(Wire a, Wire b);
  Wire make_xor(Wire a, Wire b);
  Wire make_or(Wire a, Wire b) { return !make_and(!a, !b); }
  Wire choose(Wire condition, Wire then, Wire otherwise);
  Wire make(Gate op, Wire a, Wire b);

  // Puts another netlist in, its inputs driven by `inputs`; returns where its outputs are.
  std::vector<Wire> embed(const Netlist& netlist, std::span<const Wire> inputs);

  // Levels of AND gates before the wire; an XOR takes two.
  std::uint32_t level(Wire wire) const { return levels_[wire.node()]; }

  std::size_t gates() const { return netlist_.gates.size(); }
  const Netlist& netlist() const { return netlist_; }
  Netlist take(std::vector<Wire> outputs) &&;  // canonical, but gates that no output needs are still there

 private:
  Wire shared(NetGate gate);

  Netlist netlist_;
  std::vector<std::uint32_t> levels_;                             // [node]
  std::unordered_map<std::uint64_t, std::uint32_t> ands_, xors_;  // pair of literals -> node
};

// Numbers as wires, least significant bit first.
using Word = std::vector<Wire>;

Wire any_of(NetBuilder& builder, std::span<const Wire> wires);       // false where there are none
Word count_ones(NetBuilder& builder, std::span<const Wire> bits);    // as wide as the largest count needs
Wire is_greater(NetBuilder& builder, const Word& a, const Word& b);  // of equal width

}  // namespace firn::circuit
