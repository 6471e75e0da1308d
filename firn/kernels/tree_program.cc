#include "firn/kernels/tree_program.h"

#include <algorithm>

#include "firn/base/error.h"
#include "firn/logic/gate.h"

namespace firn::kernels {

// Walks one tree from the root and keeps what is needed.
class TreePrograms::Planner {
 public:
  Planner(TreePrograms& programs, const std::int8_t* frozen, Extent& extent)
      : programs_(programs), frozen_(frozen), extent_(extent), leaves_(1u << programs.depth_) {}

  void plan() {
    unsigned root = 2 * leaves_ - 2;
    int levels = static_cast<int>(programs_.depth_);
    for (; levels > kShapeLevels && is_wire(root); --levels) root = operand_of_wire(root);
    if (levels > kShapeLevels) {
      whole(root);
      extent_.shape = kNoShape;
    } else {
      extent_.shape = static_cast<std::uint8_t>(visit(root, kShapeLevels).shape);
    }
  }

 private:
  struct Part {
    std::uint8_t node;  // of the program
    int shape;
  };

  Part visit(unsigned node, int levels) {
    while (is_wire(node)) node = operand_of_wire(node);
    if (node < leaves_) return {read_leaf(node), 0};
    const unsigned gate = node - leaves_;
    const bool reads_a = learns(gate) || depends_on_a(table(gate)), reads_b = learns(gate) || depends_on_b(table(gate));
    const Part a = reads_a ? visit(2 * gate, levels - 1) : Part{ignore(2 * gate), 0};
    const Part b = reads_b ? visit(2 * gate + 1, levels - 1) : Part{ignore(2 * gate + 1), 0};
    return {add_step(gate, a.node, b.node), 1 + a.shape * kTreeShapes[levels - 1] + b.shape};
  }

  std::uint8_t whole(unsigned node) {
    if (node < leaves_) return read_leaf(node);
    const unsigned gate = node - leaves_;
    const std::uint8_t a = whole(2 * gate), b = whole(2 * gate + 1);
    return add_step(gate, a, b);
  }

  std::uint8_t add_step(unsigned gate, std::uint8_t a, std::uint8_t b) {
    programs_.steps_.push_back({.gate = static_cast<std::uint8_t>(gate), .learns = learns(gate), .a = a, .b = b});
    return static_cast<std::uint8_t>(kFirstGate + programs_.steps_.size() - extent_.first_step - 1);
  }

  std::uint8_t read_leaf(unsigned leaf) {
    extent_.reads |= 1u << leaf;
    return add_leaf(leaf);
  }

  std::uint8_t add_leaf(unsigned leaf) {
    programs_.leaves_.push_back(static_cast<std::uint8_t>(leaf));
    return static_cast<std::uint8_t>(programs_.leaves_.size() - extent_.first_leaf - 1);
  }

  // Any leaf does for an operand that counts for nothing, if nobody else needs its gradient.
  std::uint8_t ignore(unsigned node) {
    while (node >= leaves_) node = 2 * (node - leaves_);
    return add_leaf(node);
  }

  bool learns(unsigned gate) const { return frozen_[gate] < 0; }
  Gate table(unsigned gate) const { return static_cast<Gate>(frozen_[gate]); }

  bool is_wire(unsigned node) const {
    if (node < leaves_ || learns(node - leaves_)) return false;
    return table(node - leaves_) == Gate::kA || table(node - leaves_) == Gate::kB;
  }
  unsigned operand_of_wire(unsigned node) const {
    return 2 * (node - leaves_) + (table(node - leaves_) == Gate::kB ? 1 : 0);
  }

  TreePrograms& programs_;
  const std::int8_t* frozen_;
  Extent& extent_;
  unsigned leaves_;
};

TreePrograms::TreePrograms(std::size_t depth, std::size_t trees) : depth_(depth), trees_(trees) {
  FIRN_CHECK(depth >= 1 && depth <= kMaxTreeDepth);
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
    extents_.push_back({.first_step = static_cast<std::uint32_t>(steps_.size()),
                        .first_leaf = static_cast<std::uint32_t>(leaves_.size())});
    if (tree < trees_) Planner(*this, &frozen[tree * gates], extents_.back()).plan();
  }
}

}  // namespace firn::kernels
