// How much the loss can bend when the output of one gate moves: a bound for every value between 0 and 1.
#pragma once

#include <cstddef>
#include <vector>

#include "firn/theory/loss_bounds.h"
#include "firn/theory/problem.h"

namespace firn::theory {

// Scores of a sample and their derivatives in the output of a neuron, while that output runs through `range` and all
// other neurons mix as q says. For neurons that act at one place, in networks without pools.
std::vector<IntervalJet> scores_along(const Problem& problem, const Distribution& q, std::size_t neuron,
                                      std::size_t sample, const Interval& range);

// M_i: no sample's loss has a second derivative in the neuron's output beyond +-M_i anywhere in [0, 1]. The segment is
// cut into `pieces`, because narrow intervals overestimate less.
double curvature_bound(const Problem& problem, const Distribution& q, std::size_t neuron, std::size_t pieces = 4);

}  // namespace firn::theory
