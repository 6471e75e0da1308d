#include "firn/kernels/tree_program.h"

#include <algorithm>

#include "firn/base/error.h"
#include "firn/logic/gate.h"

namespace firn::kernels {

// Walks one tree from the root and keeps what is needed. A value that is alive while its sibling is computed stays in
// its row; rows below it are free again. So a tree needs no more rows than it has levels.
class TreePrograms::Planner {
 public:
  Planner(TreePrograms& programs, const std::int8_t* frozen)
      : programs_(programs), frozen_(frozen), leaves_(1u << programs.depth_) {}

  void plan(Extent& extent) {
    const Value root = visit(2 * leaves_ - 2, 0);
    extent.root = root.node;
    extent.root_row = root.row;
  }

 private:
  struct Value {
    std::uint8_t node, row;
  };

  // The value of a node; what has to be computed for it goes to row `row` and the rows after it.
  Value visit(unsigned node, unsigned row) {
    if (node < leaves_) {
      programs_.leaves_.push_back(static_cast<std::uint8_t>(node));
      return {static_cast<std::uint8_t>(node), 0};
    }
    const unsigned gate = node - leaves_;
    const int slot = frozen_[gate];
    if (slot < 0) return binary(gate, row, true);
    const auto table = static_cast<Gate>(slot);
    const bool reads_a = depends_on_a(table), reads_b = depends_on_b(table);
    if (reads_a && reads_b) return binary(gate, row, false);
    if (!reads_a && !reads_b) {
      programs_.steps_.push_back(
          {.kind = StepKind::kConstant, .gate = byte(gate), .out = byte(node), .result = byte(row)});
      return {byte(node), byte(row)};
    }
    const Value operand = visit(2 * gate + (reads_a ? 0 : 1), row);
    if (table == Gate::kA || table == Gate::kB) return operand;
    programs_.steps_.push_back({.kind = StepKind::kUnary,
                                .gate = byte(gate),
                                .a = operand.node,
                                .out = byte(node),
                                .linear = byte(reads_a ? 1 : 2),
                                .in_a = operand.row,
                                .result = byte(row)});
    return {byte(node), byte(row)};
  }

  Value binary(unsigned gate, unsigned row, bool learns) {
    const Value a = visit(2 * gate, row);
    const Value b = visit(2 * gate + 1, a.node < leaves_ ? row : row + 1);
    const unsigned node = leaves_ + gate;
    programs_.steps_.push_back({.kind = StepKind::kBinary,
                                .gate = byte(gate),
                                .learns = learns,
                                .a = a.node,
                                .b = b.node,
                                .out = byte(node),
                                .in_a = a.row,
                                .in_b = b.row,
                                .result = byte(row)});
    return {byte(node), byte(row)};
  }

  static std::uint8_t byte(unsigned value) { return static_cast<std::uint8_t>(value); }

  TreePrograms& programs_;
  const std::int8_t* frozen_;
  unsigned leaves_;
};

TreePrograms::TreePrograms(std::size_t depth, std::size_t trees) : depth_(depth), trees_(trees) {
  FIRN_CHECK(depth >= 1 && depth <= 6);
  plan(std::vector<std::int8_t>(trees * ((std::size_t{1} << depth) - 1), -1));
}

void TreePrograms::plan(std::span<const std::int8_t> frozen) {
  const std::size_t gates = (std::size_t{1} << depth_) - 1;
  FIRN_CHECK(frozen.size() == trees_ * gates);
  if (std::ranges::equal(frozen, planned_)) return;
  planned_.assign(frozen.begin(), frozen.end());
  steps_.clear();
  leaves_.clear();
  extents_.clear();
  for (std::size_t tree = 0; tree <= trees_; ++tree) {
    extents_.push_back({static_cast<std::uint32_t>(steps_.size()), static_cast<std::uint32_t>(leaves_.size()), 0, 0});
    if (tree < trees_) Planner(*this, &frozen[tree * gates]).plan(extents_.back());
  }
}

}  // namespace firn::kernels
