// Where the distance of an argmax network from the best discrete one comes from: training, relaxation, discretization.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firn/theory/count_table.h"
#include "firn/theory/problem.h"

namespace firn::theory {

struct FitSettings {
  std::size_t steps = 500;
  double rate = 0.05;  // of Adam, on the logits
};

// Trains the distribution on the whole population, from where it is.
Distribution fit(const Problem& problem, Distribution q, const FitSettings& settings);

// The lowest relaxed risk that was found, and what is proved about it.
struct RelaxedOptimum {
  Distribution q;
  double risk = 0;
  double lower_bound = 0;  // no distribution has a risk below this
};

// Descends from `starts` distributions, the given ones first and then random ones; the risk depends on a neuron's
// distribution only through the four means of its truth table, so the search is over [0,1]^4 per neuron. Two bounds
// are proved: the best prediction for each input on its own; and, where the scores are affine in the distributions
// (one layer of gates), the risk minus what the first-order scores still promise.
RelaxedOptimum find_relaxed_optimum(const Problem& problem, const std::vector<Distribution>& given, std::size_t starts,
                                    std::uint64_t seed);

// What separates the argmax circuit from the best one, in three parts.
struct GapDecomposition {
  double relaxed = 0;        // R_rel(q) of the trained distribution
  double best_relaxed = 0;   // R_rel*
  double relaxed_bound = 0;  // proved lower bound on R_rel*
  double argmax = 0;         // R_disc(argmax q)
  double best = 0;           // R_disc*, by looking at all assignments

  double train() const { return relaxed - best_relaxed; }     // >= 0
  double relaxation() const { return best_relaxed - best; }   // <= 0
  double discretization() const { return argmax - relaxed; }  // of either sign
  double optimality() const { return argmax - best; }         // >= 0, and the sum of the three
};

GapDecomposition measure_gaps(const Problem& problem, const CountTable& counts, const Distribution& trained,
                              std::size_t starts, std::uint64_t seed);

}  // namespace firn::theory
