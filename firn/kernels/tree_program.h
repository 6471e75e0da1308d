// What is left to compute of a tree of gates once some of its gates are frozen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace firn::kernels {

// How many of its operands a gate reads.
enum class StepKind : std::uint8_t { kBinary, kUnary, kConstant };

// One gate that has to be evaluated. Nodes are numbered leaves first, then gates from the leaves to the root.
struct TreeStep {
  StepKind kind = StepKind::kBinary;
  std::uint8_t gate = 0;                        // whose coefficients count
  bool learns = false;                          // wants its weight gradient
  std::uint8_t a = 0, b = 0, out = 0;           // nodes; a unary step reads `a` only, which may be the gate's operand b
  std::uint8_t linear = 1;                      // of a unary step: which coefficient belongs to `a`, 1 or 2
  std::uint8_t in_a = 0, in_b = 0, result = 0;  // rows of operands and result when only the root is wanted
};

// A frozen gate that passes one operand on is no work at all, and what nobody reads need not be computed. Two thirds of
// the gates of a trained TreeLogicNet-S are wires, so that trees shrink as they are frozen. Pruning leaves every bit of
// values, gradients and sums as it was: a wire's value is its operand's, and what is pruned has a gradient of zero.
struct TreeProgram {
  std::span<const TreeStep> steps;       // operands before those who read them
  std::span<const std::uint8_t> leaves;  // that are read at all
  std::uint8_t root = 0;      // the node whose value is the tree's; a leaf where every gate on the way is a wire
  std::uint8_t root_row = 0;  // where it is kept, if it is no leaf
};

class TreePrograms {
 public:
  TreePrograms(std::size_t depth, std::size_t trees);

  // `frozen` holds [trees][2^depth - 1] gates (0 to 15), or a negative number where the gate still learns. Costs next
  // to nothing where that has not changed.
  void plan(std::span<const std::int8_t> frozen);

  TreeProgram operator[](std::size_t tree) const {
    const Extent &at = extents_[tree], &next = extents_[tree + 1];
    return {{steps_.data() + at.first_step, next.first_step - at.first_step},
            {leaves_.data() + at.first_leaf, next.first_leaf - at.first_leaf},
            at.root,
            at.root_row};
  }

 private:
  struct Extent {
    std::uint32_t first_step, first_leaf;
    std::uint8_t root, root_row;
  };
  class Planner;

  std::size_t depth_, trees_;
  std::vector<std::int8_t> planned_;
  std::vector<TreeStep> steps_;
  std::vector<std::uint8_t> leaves_;
  std::vector<Extent> extents_;  // one per tree, and one for the end
};

}  // namespace firn::kernels
