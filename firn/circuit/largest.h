// Which of several counts is the largest, as gates; the first one of equals.
#pragma once

#include <vector>

#include "firn/circuit/builder.h"

namespace firn::circuit {

// Two circuits for the same decision. An elimination goes over the bits from the top and drops every count that has a
// 0 where one that is left has a 1: four gates for each bit of each count, but each bit waits for the one above it. A
// tournament compares pairs and passes the larger count on: seven to nine gates for each bit of each match, but the
// comparisons are trees.
enum class Decision { kElimination, kTournament };

// What with_head() takes. As one-hot outputs: counting ten groups of 16 takes 890 AND gates; the elimination adds 192
// to them and the tournament 325, at 58 and 54 levels. For ten groups of 256 it is 348 and 619 on top of 17,530, at 112
// and 88 levels: where counts are wide the gates hardly matter, and the levels do.
Decision decision_for(const std::vector<Word>& counts);

// The counts are of equal width. One wire for each of them, exactly one of which is set.
Word largest_one_hot(NetBuilder& builder, const std::vector<Word>& counts, Decision decision);
// The position of the largest, least significant bit first, `bits` of them.
Word largest_number(NetBuilder& builder, const std::vector<Word>& counts, Decision decision, std::size_t bits);

}  // namespace firn::circuit
