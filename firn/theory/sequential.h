// Fixing the neurons of a small network one after the other, each to the gate that a criterion likes best.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/theory/count_table.h"
#include "firn/theory/monte_carlo.h"
#include "firn/theory/problem.h"

namespace firn::theory {

// What is minimised over the sixteen gates of a neuron, given the distribution with all earlier neurons fixed. Exact
// criteria have no error.
using Criterion = std::function<GateEstimates(const Distribution& q, std::size_t neuron)>;

// The method of conditional expectations with exact C^CE, and with C^CE estimated from drawn networks.
Criterion conditional_expectation(const Problem& problem, const CountTable& counts);
Criterion conditional_expectation(const Problem& problem, const CountTable& counts, const MonteCarlo& how);
// First-order scores S, and relaxed intervention risks C^rel, of the mixed network.
Criterion first_order(const Problem& problem);
Criterion relaxed_intervention(const Problem& problem);

struct SelectionStep {
  std::size_t neuron;
  Gate gate;
  GateEstimates criterion;

  const MonteCarloEstimate& chosen() const { return criterion[static_cast<std::size_t>(gate)]; }
};

struct SequentialSelection {
  Assignment gates;                  // [neuron]
  std::vector<SelectionStep> steps;  // in the order in which neurons were fixed
};

// Each neuron is fixed to the gate with the lowest criterion; its likeliest gate wins ties, then the lowest one.
SequentialSelection fix_in_order(Distribution q, const std::vector<std::size_t>& order, const Criterion& criterion);

// "input-first", "output-first", "certain-first" (largest weight first) or "random".
std::vector<std::string> neuron_orders();
std::vector<std::size_t> neuron_order(std::string_view name, const Distribution& q, std::uint64_t seed);

}  // namespace firn::theory
