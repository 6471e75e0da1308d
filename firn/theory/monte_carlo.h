// Discrete completions by drawing them: estimates with their standard error, for networks too large to enumerate.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "firn/theory/count_table.h"
#include "firn/theory/problem.h"

namespace firn::theory {

struct MonteCarloEstimate {
  double mean = 0, error = 0;  // standard error of the mean
};

using GateEstimates = std::array<MonteCarloEstimate, kSlots>;  // one per gate

struct MonteCarlo {
  std::size_t draws = 1000;
  std::uint64_t seed = 1;
};

MonteCarloEstimate estimate_expected_risk(const Problem& problem, const CountTable& counts, const Distribution& q,
                                          const MonteCarlo& how);

// All sixteen gates are tried in the same drawn networks, so that differences between gates are sharper than the
// single errors say.
GateEstimates estimate_conditional_risks(const Problem& problem, const CountTable& counts, const Distribution& q,
                                         std::size_t neuron, const MonteCarlo& how);

}  // namespace firn::theory
