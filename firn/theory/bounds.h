// Both sides of Theorems 2 and 3 for one neuron of a partly fixed network.
#pragma once

#include <cstddef>

#include "firn/theory/count_table.h"
#include "firn/theory/problem.h"

namespace firn::theory {

// For neuron i; arrays have one entry per gate k.
struct NeuronBounds {
  GateWeights conditional;      // C^CE(k)
  GateWeights relaxed;          // C^rel(k)
  double soft = 0;              // C^rel(soft)
  GateWeights score;            // S(k)
  GateWeights spread;           // V: mean over samples of the standard deviation of the scores over completions
  GateWeights mismatch;         // P: mean distance of the mean completion from the relaxed scores
  GateWeights displacement;     // E[(a_ik - a_i)^2]
  double lipschitz = 0;         // L
  double curvature = 0;         // M
  std::size_t argmax = 0;       // gate with the largest weight
  std::size_t first_order = 0;  // gate with the smallest score; the argmax gate on ties

  double completion_error(std::size_t k) const { return lipschitz * (spread[k] + mismatch[k]); }
  double taylor_error(std::size_t k) const { return curvature / 2 * displacement[k]; }
  double epsilon(std::size_t k) const { return completion_error(k) + taylor_error(k); }
  double epsilon() const;                                                  // the largest
  double advantage() const { return score[argmax] - score[first_order]; }  // Gamma
  // By how much the condition of Theorem 3 holds: the first-order choice is better than argmax by at least this.
  double margin() const { return advantage() - 2 * epsilon(); }
};

// q has one row per neuron; those that are fixed have all their weight on one gate.
NeuronBounds bound_neuron(const Problem& problem, const CountTable& counts, const Distribution& q, std::size_t neuron);

}  // namespace firn::theory
