// Risks of the relaxed network, of forcing one gate in it, and the first-order scores, all in double.
#pragma once

#include <vector>

#include "firn/theory/problem.h"

namespace firn::theory {

// The class sums of every sample, [sample][group].
std::vector<reference::Values<double>> relaxed_class_sums(const Problem& problem, const Distribution& q);
double risk_of_class_sums(const Problem& problem, const std::vector<reference::Values<double>>& sums);

double relaxed_risk(const Problem& problem, const Distribution& q);

// C_i^rel(k): the risk with one neuron forced to each of the sixteen gates, the rest as in q.
GateWeights intervention_risks(const Problem& problem, const Distribution& q, std::size_t neuron);

// Gradient of the relaxed risk in the weights of all neurons.
Distribution weight_gradient(const Problem& problem, const Distribution& q);

// S_i(k) = E[dl/da_i (a_ik - a_i)] of all neurons, from that gradient.
Distribution first_order_scores(const Problem& problem, const Distribution& q);

}  // namespace firn::theory
