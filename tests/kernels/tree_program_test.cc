// Programs of trees: pruned as gates are frozen, and of the same value as the whole tree.
#include "firn/kernels/tree_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "firn/base/random.h"
#include "firn/logic/gate.h"

namespace firn {
namespace {

constexpr std::int8_t kRelaxed = -1;

std::vector<std::int8_t> all(std::size_t gates, Gate gate) {
  return std::vector<std::int8_t>(gates, static_cast<std::int8_t>(gate));
}

TEST(TreeProgram, KeepsEverythingThatLearns) {
  for (std::size_t depth = 1; depth <= 4; ++depth) {
    const TreePrograms programs(depth, 3);
    const TreeProgram program = programs[2];
    EXPECT_EQ(program.steps.size(), (1u << depth) - 1);
    EXPECT_EQ(program.leaves.size(), 1u << depth);
    EXPECT_EQ(program.steps.back().gate, (1u << depth) - 2);
    EXPECT_EQ(program.reads, (1u << (1u << depth)) - 1);
    for (const TreeStep& step : program.steps) EXPECT_TRUE(step.learns);
  }
}

TEST(TreeProgram, IsEmptyWhereAllGatesAreWires) {
  TreePrograms programs(3, 1);
  programs.plan(all(7, Gate::kA));
  EXPECT_TRUE(programs[0].steps.empty());
  EXPECT_EQ(programs[0].shape, 0);
  EXPECT_EQ(programs[0].leaves.front(), 0);
  programs.plan(all(7, Gate::kB));
  EXPECT_EQ(std::vector(programs[0].leaves.begin(), programs[0].leaves.end()), std::vector<std::uint8_t>{7});
}

TEST(TreeProgram, LeavesOutWhatNobodyReads) {
  TreePrograms programs(3, 2);
  std::vector<std::int8_t> frozen(14, kRelaxed);
  frozen[7 + 6] = static_cast<std::int8_t>(Gate::kB);     // the root of the second tree reads its right half only
  frozen[7 + 5] = static_cast<std::int8_t>(Gate::kTrue);  // which is constant
  programs.plan(frozen);
  EXPECT_EQ(programs[0].steps.size(), 7u);
  ASSERT_EQ(programs[1].steps.size(), 1u);
  EXPECT_EQ(programs[1].steps[0].gate, 5);
  EXPECT_EQ(programs[1].reads, 0u);
}

TEST(TreeProgram, GivesEveryShapeItsOwnNumber) {
  TreePrograms programs(3, 1);
  std::vector<bool> seen(kNoShape);
  for (unsigned wires = 0; wires < 128; ++wires) {
    std::vector<std::int8_t> frozen(7, kRelaxed);
    for (unsigned g = 0; g < 7; ++g)
      if (wires >> g & 1) frozen[g] = static_cast<std::int8_t>(Gate::kA);
    programs.plan(frozen);
    ASSERT_LT(programs[0].shape, kNoShape);
    seen[programs[0].shape] = true;
  }
  EXPECT_EQ(std::ranges::count(seen, true), kNoShape);
  EXPECT_EQ(TreePrograms(4, 1)[0].shape, kNoShape);
}

// Reads a program as the kernels do: its shape says what is a leaf and what a gate, and leaves and steps follow in
// turn.
class Reader {
 public:
  Reader(const TreeProgram& program, const std::vector<Gate>& gates, const std::vector<bool>& leaves)
      : program_(program), gates_(gates), leaves_(leaves) {}

  bool run() {
    const bool value = program_.shape == kNoShape ? gate(kTreeShapes[3] - 1, kTreeShapes[3] - 1, 3).value
                                                  : visit(program_.shape, kShapeLevels).value;
    EXPECT_EQ(step_, program_.steps.size());
    EXPECT_EQ(leaf_, program_.leaves.size());
    return value;
  }

 private:
  struct Node {
    std::size_t number;
    bool value;
  };

  Node visit(int shape, int levels) {
    if (shape > 0)
      return gate((shape - 1) / kTreeShapes[levels - 1], (shape - 1) % kTreeShapes[levels - 1], levels - 1);
    const bool value = leaves_[program_.leaves[leaf_]];
    return {leaf_++, value};
  }

  Node gate(int shape_a, int shape_b, int levels) {
    const Node a = visit(shape_a, levels), b = visit(shape_b, levels);
    const TreeStep& step = program_.steps[step_];
    EXPECT_EQ(step.a, a.number);
    EXPECT_EQ(step.b, b.number);
    return {kFirstGate + step_++, eval(gates_[step.gate], a.value, b.value)};
  }

  const TreeProgram& program_;
  const std::vector<Gate>& gates_;
  const std::vector<bool>& leaves_;
  std::size_t step_ = 0, leaf_ = 0;
};

TEST(TreeProgram, ComputesWhatTheWholeTreeDoes) {
  RandomSequence random(1, "test/tree_program");
  for (std::size_t depth = 1; depth <= 4; ++depth)
    for (int trial = 0; trial < 300; ++trial) {
      const std::size_t leaf_count = std::size_t{1} << depth;
      std::vector<std::int8_t> frozen;
      std::vector<Gate> gates;
      for (std::size_t g = 0; g + 1 < leaf_count; ++g) {
        gates.push_back(static_cast<Gate>(random.below(16)));
        frozen.push_back(random.below(4) == 0 ? kRelaxed : static_cast<std::int8_t>(gates.back()));
      }
      TreePrograms programs(depth, 1);
      programs.plan(frozen);
      std::vector<bool> node;
      for (std::size_t l = 0; l < leaf_count; ++l) node.push_back(random.below(2) == 1);
      const std::vector<bool> leaves = node;
      for (std::size_t g = 0; g + 1 < leaf_count; ++g) node.push_back(eval(gates[g], node[2 * g], node[2 * g + 1]));
      EXPECT_EQ(Reader(programs[0], gates, leaves).run(), node.back()) << depth << " " << trial;
    }
}

}  // namespace
}  // namespace firn
