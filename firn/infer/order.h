// The order of instructions: values are used while they are still in the L1 cache, and equal kinds stand together.
#pragma once

#include <cstddef>
#include <vector>

#include "firn/infer/cover.h"

namespace firn::infer {

// Each function takes instructions in a topological order and leaves them in another one; `nodes` is the number of
// nodes of the netlist.

// Moves what is used at most so many times to just before its first use: with a single use, trees are computed one
// after the other.
void sink_to_uses(std::vector<Instruction>& instructions, std::size_t nodes, std::uint32_t most_uses);

// Where many instructions in a row do not depend on each other, as in a layer of a dense network, walks from one to
// another that reads the same row: one of its operands is then still in the L1 cache.
void follow_shared_operands(std::vector<Instruction>& instructions, std::size_t nodes);

// Computes every value as soon as its operands are known, those that were computed last first: what a result makes
// possible is done while it is still in the L1 cache.
void follow_results(std::vector<Instruction>& instructions, std::size_t nodes);

// Puts instructions of one kind together within windows of so many instructions, as far as they do not depend on each
// other. A window of all of them makes runs as long as possible, wherever their values are.
void group_kinds(std::vector<Instruction>& instructions, std::size_t nodes, std::size_t window);

}  // namespace firn::infer
