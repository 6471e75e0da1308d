// The order of instructions: values are used while they are still in the L1 cache, and equal kinds stand together.
#pragma once

#include <cstddef>
#include <vector>

#include "firn/infer/cover.h"

namespace firn::infer {

// Each function takes instructions in a topological order and leaves them in another one; `nodes` is the number of
// nodes of the netlist.

// Moves what is used once to just before its use, so that trees are computed one after the other.
void sink_single_uses(std::vector<Instruction>& instructions, std::size_t nodes);

// Where many instructions in a row do not depend on each other, as in a layer of a dense network, walks from one to
// another that reads the same row: one of its operands is then still in the L1 cache.
void follow_shared_operands(std::vector<Instruction>& instructions, std::size_t nodes);

// Sorts by kind within windows of so many instructions, as far as they do not depend on each other.
void group_kinds(std::vector<Instruction>& instructions, std::size_t nodes, std::size_t window);

// Makes runs of one kind as long as possible, wherever their values are.
void lengthen_runs(std::vector<Instruction>& instructions, std::size_t nodes);

}  // namespace firn::infer
