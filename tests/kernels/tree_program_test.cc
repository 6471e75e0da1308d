// Programs of trees: pruned as gates are frozen, and of the same value as the whole tree.
#include "firn/kernels/tree_program.h"

#include <gtest/gtest.h>

#include <array>
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
    EXPECT_EQ(program.root, (2u << depth) - 2);
    for (const TreeStep& step : program.steps) {
      EXPECT_TRUE(step.learns);
      EXPECT_LT(step.result, depth);
    }
  }
}

TEST(TreeProgram, IsEmptyWhereAllGatesAreWires) {
  TreePrograms programs(3, 1);
  programs.plan(all(7, Gate::kA));
  EXPECT_TRUE(programs[0].steps.empty());
  EXPECT_EQ(programs[0].root, 0);
  programs.plan(all(7, Gate::kB));
  EXPECT_EQ(programs[0].root, 7);
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
  EXPECT_EQ(programs[1].steps[0].kind, StepKind::kConstant);
  EXPECT_TRUE(programs[1].leaves.empty());
}

// Runs a program on bits as the kernels run it on rows: once with a row for every node, once with rows used again.
bool run(const TreeProgram& program, std::size_t depth, const std::vector<Gate>& gates, const std::vector<bool>& leaves,
         bool reuse_rows) {
  std::vector<bool> node(leaves);
  node.resize(2 * leaves.size());
  std::vector<bool> row(depth);
  const auto read = [&](std::uint8_t at, std::uint8_t in) {
    return reuse_rows && at >= leaves.size() ? row[in] : node[at];
  };
  for (const TreeStep& step : program.steps) {
    const bool a = step.kind == StepKind::kConstant ? false : read(step.a, step.in_a);
    const bool b = step.kind == StepKind::kBinary ? read(step.b, step.in_b) : a;
    row[step.result] = node[step.out] = eval(gates[step.gate], a, b);
  }
  return read(program.root, program.root_row);
}

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
      for (const bool reuse_rows : {false, true})
        EXPECT_EQ(run(programs[0], depth, gates, leaves, reuse_rows), node.back()) << depth << " " << trial;
    }
}

}  // namespace
}  // namespace firn
