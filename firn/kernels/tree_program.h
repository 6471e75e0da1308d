// What is left to compute of a tree of gates once some of its gates are frozen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace firn::kernels {

inline constexpr int kMaxTreeDepth = 4;

// The shape of a tree says which of its branches are leaves. Shape 0 is a leaf. A gate over shapes a and b of up to
// `levels` - 1 levels is shape 1 + a * kTreeShapes[levels - 1] + b. Trees of four levels that cannot be pruned to three
// have no shape and stay whole.
inline constexpr int kTreeShapes[] = {1, 2, 5, 26};  // of up to that many levels
inline constexpr int kShapeLevels = 3;
inline constexpr int kNoShape = kTreeShapes[kShapeLevels];

// Nodes of a program are its leaves, from 0 on, and the gates of its steps, from here on.
inline constexpr int kFirstGate = 1 << kMaxTreeDepth;

// One gate that has to be evaluated.
struct TreeStep {
  std::uint8_t gate = 0;      // of the tree, counted from the leaves to the root: whose coefficients count
  bool learns = false;        // wants its weight gradient
  std::uint8_t a = 0, b = 0;  // nodes
};

// A frozen gate that passes one operand on is no work at all, and what nobody reads need not be computed. Two thirds of
// the gates of a trained TreeLogicNet-S are wires, so that trees shrink as they are frozen. Pruning leaves every bit of
// values, gradients and sums as it was: a wire's value is its operand's, and what is pruned has a gradient of zero.
struct TreeProgram {
  std::span<const TreeStep> steps;       // in the order of the shape: those of operand a, of operand b, the gate
  std::span<const std::uint8_t> leaves;  // of the shape, from left to right
  std::uint32_t reads = 0;  // a bit for each leaf that counts; the others stand where a gate ignores an operand
  std::uint8_t shape = 0;
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
            at.reads,
            at.shape};
  }

 private:
  struct Extent {
    std::uint32_t first_step, first_leaf;
    std::uint32_t reads = 0;
    std::uint8_t shape = 0;
  };
  class Planner;

  std::size_t depth_, trees_;
  std::vector<std::int8_t> planned_;
  std::vector<TreeStep> steps_;
  std::vector<std::uint8_t> leaves_;
  std::vector<Extent> extents_;  // one per tree, and one for the end
};

}  // namespace firn::kernels
