// Locality: how far each slot moves a neuron, and how wrong first and second order become with the distance.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "firn/diagnose/interventions.h"
#include "firn/diagnose/statistics.h"

namespace firn::diagnose {

// All sixteen slots of one neuron.
struct LocalNeuron {
  std::size_t neuron = 0;
  Weights16 scores{};  // of the backward pass
  std::vector<SlotEffect> slots;

  double first_error(std::size_t k) const;   // |effect - score|
  double second_error(std::size_t k) const;  // |effect - score - half the second derivative|
};

// The same correlation with another meaning of error or displacement. A sum over placements instead of a mean would
// change no rank.
struct LocalityReading {
  std::string name;
  std::optional<double> first_rank, second_rank;
};

struct LocalitySummary {
  std::string layer;  // or "all"
  std::size_t neurons = 0;
  // Medians over neurons of the correlation, within each, of error and displacement.
  std::optional<double> first_rank, second_rank;
  std::optional<double> first_error, second_error;  // medians over all slots of all neurons
  std::vector<LocalityReading> readings;            // always the same ones
};

// Errors of slots whose displacement lies in [low, high).
struct DisplacementBin {
  double low, high;
  std::size_t slots = 0;
  std::array<std::optional<double>, 3> first_error, second_error;  // 10 %, 50 % and 90 % quantiles
};

struct Locality {
  std::vector<LocalNeuron> neurons;
  std::vector<LocalitySummary> summaries;  // per layer, and "all"
  std::vector<DisplacementBin> bins;       // always the same ones, empty or not
  // Largest difference of the jets' first derivative and the score of the backward pass, in units of the largest score
  // of the neuron: two ways to compute the same number.
  double disagreement = 0;
};

// Relaxed neurons of every layer in scope, at most `per_layer` of each, drawn by the seed, in ascending order.
std::vector<std::size_t> draw_neurons(const Mixtures& mixtures, std::size_t per_layer, std::uint64_t seed);

// `risk` is that of the relaxed network.
Locality summarize_locality(const Mixtures& mixtures, std::vector<LocalNeuron> neurons, double risk);

}  // namespace firn::diagnose
