// Theorem 1 as a network: gates as certain as one likes, the best relaxed risk there is, and an argmax that is wrong.
//
// N gates add to one score, z0 + (z* - z0) / m * (number of ones). Each is FALSE with probability 1 - m/N and TRUE with
// probability m/N, so the relaxed score is z*, the best constant prediction, while argmax makes every gate FALSE and
// the score z0. Any m gates set to TRUE would be optimal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "firn/theory/problem.h"

namespace firn::theory {

struct ConcentrationSettings {
  std::string loss = "squared";  // or "bce"
  std::size_t copies = 1;        // m
  double positives = 0.64;       // probability of label 1, strictly between 0 and 1
  std::size_t n_max = 4096;
};

struct ConcentrationRow {
  std::size_t neurons;                          // N
  double entropy, gini, non_modal;              // the largest of any neuron; entropy divided by ln 16
  double relaxed_risk, argmax_risk, best_risk;  // best: found by search over discrete networks
  double gap() const { return argmax_risk - best_risk; }
};

struct Concentration {
  double best_prediction;  // z*, with z0 = 0
  double closed_form;      // c = R(z0) - R(z*)
  std::vector<ConcentrationRow> rows;
};

// Networks of 2m + 1 neurons and then twice as many each time, up to n_max.
Concentration run_concentration(const ConcentrationSettings& settings);

// One network of the sequence, its distribution q*, and the population: two random bits that say nothing about Y.
SmallNetwork concentrated_network(std::size_t neurons, std::size_t copies, double best_prediction);
Distribution concentrated_distribution(std::size_t neurons, std::size_t copies);
Population independent_labels(double positives);

}  // namespace firn::theory
