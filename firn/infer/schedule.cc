#include "firn/infer/schedule.h"

#include <algorithm>
#include <utility>

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

// What an order costs beside the instructions themselves, in rows that come from L2 instead of L1: rows that were not
// touched for so many accesses that L1, of which another thread of the core may have half, has probably lost them. A
// jump to the next kind is worth six of them, and twenty where there are too many jumps for the CPU to foresee. So many
// rows that they and the samples outgrow L2 cost something, too. Fitted to times of eight circuits of 14,000 to 143,000
// gates on Golden Cove.
double cost_of(const Netlist& netlist, const std::vector<Instruction>& instructions) {
  constexpr std::uint32_t kReach = 800;
  constexpr double kForeseen = 1000, kForeseenJump = 6, kJump = 20, kRoom = 8192, kOutgrown = 8;
  RowAssignment assignment(netlist, instructions);
  std::vector<std::uint32_t> touched(netlist.inputs + instructions.size());  // per row: when, or 0
  std::uint32_t now = 0;
  std::size_t missed = 0, runs = 0;
  const auto touch = [&](std::uint32_t row) {
    ++now;
    missed += touched[row] == 0 || now - touched[row] > kReach;
    touched[row] = now;
  };
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& instruction = instructions[i];
    runs += i == 0 || instructions[i - 1].kind != instruction.kind;
    const int operands = gate_kind::operands(instruction.kind);
    for (int o = 0; o < operands; ++o) touch(assignment.row(instruction.operand[o]));
    for (int o = 0; o < operands; ++o) assignment.use(instruction.operand[o]);
    touch(assignment.give(instruction.result));
  }
  const double outgrown = std::max(0.0, static_cast<double>(assignment.rows()) - kRoom);
  const double foreseen = std::min(static_cast<double>(runs), kForeseen);
  const double jumps = kForeseenJump * foreseen + kJump * (static_cast<double>(runs) - foreseen);
  return static_cast<double>(missed) + jumps + kOutgrown * outgrown;
}

// Layer by layer, or tree by tree: whichever needs fewer rows. Suits dense layers, and networks as they were lowered.
std::vector<Instruction> in_layers(const Netlist& netlist, const std::vector<Instruction>& instructions) {
  std::vector<Instruction> order = instructions;
  sink_to_uses(order, netlist.nodes(), 1);
  if (rows_needed(netlist, order) >= rows_needed(netlist, instructions)) order = instructions;
  follow_shared_operands(order, netlist.nodes());
  return order;
}

// Tree by tree, although trees share gates, as they do after another program has optimised them.
std::vector<Instruction> by_trees(const Netlist& netlist, const std::vector<Instruction>& instructions) {
  std::vector<Instruction> order = instructions;
  sink_to_uses(order, netlist.nodes(), 4);
  return order;
}

// From value to value: suits circuits of convolutions, also where another program has shuffled their gates.
std::vector<Instruction> by_results(const Netlist& netlist, const std::vector<Instruction>& instructions) {
  std::vector<Instruction> order = instructions;
  follow_results(order, netlist.nodes());
  return order;
}

// No order suits all circuits, so several are made and the cheapest is taken; of huge circuits only a few.
std::vector<Instruction> order_instructions(const Netlist& netlist, const std::vector<Instruction>& instructions,
                                            std::size_t window) {
  constexpr std::size_t kHuge = std::size_t{1} << 20;
  std::vector<std::size_t> windows = {256, 512, 1024, 2048, 4096};
  if (instructions.size() > kHuge) windows = {512};
  if (window != 0) windows = {window};
  std::vector<Instruction> best;
  double least = 0;
  for (const auto make : {in_layers, by_trees, by_results}) {
    const std::vector<Instruction> order = make(netlist, instructions);
    for (const std::size_t size : windows) {
      std::vector<Instruction> grouped = order;
      group_kinds(grouped, netlist.nodes(), size);
      const double cost = cost_of(netlist, grouped);
      if (!best.empty() && cost >= least) continue;
      least = cost;
      best = std::move(grouped);
    }
  }
  return best;
}

}  // namespace

Schedule make_schedule(const Netlist& netlist, std::size_t window) {
  return make_schedule(netlist, cover_gates(netlist), window);
}

Schedule make_schedule(const Netlist& netlist, const Cover& cover, std::size_t window) {
  const std::vector<Instruction> instructions = order_instructions(netlist, cover.instructions, window);
  Schedule schedule;
  schedule.inputs = netlist.inputs;
  schedule.gates = netlist.gates.size();
  RowAssignment assignment(netlist, instructions);
  schedule.instruction_rows.reserve(3 * instructions.size());
  for (const Instruction& instruction : instructions) {
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
