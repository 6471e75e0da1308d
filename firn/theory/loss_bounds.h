// What the theorems need to know of a loss: how steep it is, and how it bends along a line of scores.
#pragma once

#include <string_view>
#include <vector>

#include "firn/base/jet.h"
#include "firn/theory/interval.h"
#include "firn/theory/problem.h"

namespace firn::theory {

using IntervalJet = Jet<Interval>;

// A constant L with |loss(z) - loss(z')| <= L |z - z'| (Euclidean) over all scores that the network can have.
double lipschitz_constant(const Problem& problem);

// All values of the second derivative of t -> loss(z(t), label), where the scores and their first two derivatives lie
// in the given intervals.
Interval second_derivative(std::string_view loss, const std::vector<IntervalJet>& scores, std::size_t label);

}  // namespace firn::theory
