#include "firn/infer/schedule.h"

#include <algorithm>
#include <utility>

#include "firn/base/error.h"
#include "firn/infer/order.h"

namespace firn::infer {

namespace {

// Gives every value a row for as long as it is needed. A freed row is the next one to be given away: it is still in the
// L1 cache.
class RowAssignment {
 public:
  RowAssignment(const Netlist& netlist, const std::vector<Instruction>& instructions)
      : uses_(netlist.nodes()), row_(netlist.nodes(), kNoRow), rows_(netlist.inputs) {
    for (const Instruction& instruction : instructions)
      for (int o = 0; o < gate_kind::operands(instruction.kind); ++o) ++uses_[instruction.operand[o]];
    for (Wire output : netlist.outputs) ++uses_[output.node()];  // never taken back: outputs live to the end
    for (std::size_t i = netlist.inputs; i-- > 0;) {
      row_[1 + i] = static_cast<std::uint32_t>(i);
      if (uses_[1 + i] == 0) free_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  std::uint32_t row(std::uint32_t node) const { return row_[node]; }
  std::size_t rows() const { return rows_; }

  void use(std::uint32_t node) {
    if (--uses_[node] == 0) free_.push_back(row_[node]);
  }
  std::uint32_t give(std::uint32_t node) {
    if (free_.empty()) free_.push_back(static_cast<std::uint32_t>(rows_++));
    row_[node] = free_.back();
    free_.pop_back();
    if (uses_[node] == 0) free_.push_back(row_[node]);
    return row_[node];
  }

 private:
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};

  std::vector<std::uint32_t> uses_, row_;  // per node
  std::vector<std::uint32_t> free_;        // rows
  std::size_t rows_;
};

std::size_t rows_needed(const Netlist& netlist, const std::vector<Instruction>& instructions) {
  RowAssignment assignment(netlist, instructions);
  for (const Instruction& instruction : instructions) {
    for (int o = 0; o < gate_kind::operands(instruction.kind); ++o) assignment.use(instruction.operand[o]);
    assignment.give(instruction.result);
  }
  return assignment.rows();
}

// Layer by layer, or tree by tree: whichever needs fewer rows.
void order_instructions(const Netlist& netlist, std::vector<Instruction>& instructions, std::size_t window) {
  std::vector<Instruction> by_tree = instructions;
  sink_single_uses(by_tree, netlist.nodes());
  if (rows_needed(netlist, by_tree) < rows_needed(netlist, instructions)) instructions = std::move(by_tree);
  by_tree = {};
  follow_shared_operands(instructions, netlist.nodes());
  group_kinds(instructions, netlist.nodes(), window);
}

}  // namespace

Schedule make_schedule(const Netlist& netlist, std::size_t window) {
  return make_schedule(netlist, cover_gates(netlist), window);
}

Schedule make_schedule(const Netlist& netlist, Cover cover, std::size_t window) {
  FIRN_CHECK(window > 0);
  order_instructions(netlist, cover.instructions, window);
  Schedule schedule;
  schedule.inputs = netlist.inputs;
  schedule.gates = netlist.gates.size();
  RowAssignment assignment(netlist, cover.instructions);
  schedule.instruction_rows.reserve(3 * cover.instructions.size());
  for (const Instruction& instruction : cover.instructions) {
    if (schedule.runs.empty() || schedule.runs.back().kind != instruction.kind)
      schedule.runs.push_back({instruction.kind, 0});
    ++schedule.runs.back().count;
    const int operands = gate_kind::operands(instruction.kind);
    for (int o = 0; o < operands; ++o) schedule.instruction_rows.push_back(assignment.row(instruction.operand[o]));
    for (int o = 0; o < operands; ++o) assignment.use(instruction.operand[o]);
    schedule.instruction_rows.push_back(assignment.give(instruction.result));
  }
  for (Wire output : netlist.outputs) {
    const std::uint32_t node = output.node();
    schedule.outputs.push_back(node == 0 ? output
                                         : Wire(1 + assignment.row(node), output.inverted() != cover.inverted[node]));
  }
  schedule.rows = std::max<std::size_t>(assignment.rows(), 1);
  return schedule;
}

}  // namespace firn::infer
