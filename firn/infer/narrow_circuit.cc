#include "firn/infer/narrow_circuit.h"

#include <algorithm>

#include "firn/infer/order.h"

namespace firn::infer {

NarrowCircuit::NarrowCircuit(const Netlist& netlist, const Cover& cover)
    : inputs_(netlist.inputs), rows_(netlist.inputs + cover.instructions.size()) {
  std::vector<Instruction> instructions = cover.instructions;
  group_kinds(instructions, netlist.nodes(), std::max<std::size_t>(instructions.size(), 1));
  std::vector<std::uint32_t> row(netlist.nodes());
  for (std::size_t i = 0; i < inputs_; ++i) row[1 + i] = static_cast<std::uint32_t>(i);
  for (std::size_t i = 0; i < instructions.size(); ++i)
    row[instructions[i].result] = static_cast<std::uint32_t>(inputs_ + i);
  const bool is_short = rows_ <= 0x10000;
  for (const Instruction& instruction : instructions) {
    if (runs_.empty() || runs_.back().kind != instruction.kind) runs_.push_back({instruction.kind, 0});
    ++runs_.back().count;
    for (int o = 0; o < gate_kind::operands(instruction.kind); ++o) {
      const std::uint32_t operand = row[instruction.operand[o]];
      is_short ? short_operands_.push_back(static_cast<std::uint16_t>(operand)) : long_operands_.push_back(operand);
    }
  }
  for (Wire output : netlist.outputs) {
    const std::uint32_t node = output.node();
    outputs_.push_back(node == 0 ? output : Wire(1 + row[node], output.inverted() != cover.inverted[node]));
  }
}

NarrowProgram NarrowCircuit::program() const {
  const bool is_short = long_operands_.empty();
  return {runs_.data(), runs_.size(), is_short ? short_operands_.data() : nullptr,
          is_short ? nullptr : long_operands_.data(), inputs_};
}

}  // namespace firn::infer
