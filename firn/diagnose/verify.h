// Compares realized effects with whole passes of the reference network in extended precision.
#pragma once

#include <string>
#include <vector>

#include "firn/diagnose/interventions.h"
#include "firn/model/model.h"

namespace firn::diagnose {

struct CheckedEffect {
  std::size_t neuron = 0, slot = 0;
  double entropy = 0, measured = 0, expected = 0;

  // Below this the reference itself has no three digits left.
  static constexpr double kResolved = 1e-15;
  bool is_resolved() const;
  double error() const;  // relative
};

// The largest error of those that can be judged.
double worst_error(const std::vector<CheckedEffect>& checked);

// The argmax slots of at most `per_layer` relaxed neurons of every convolution: half of them the ones with the smallest
// entropy, the others drawn by the seed.
std::vector<std::size_t> neurons_to_check(const Mixtures& mixtures, std::size_t per_layer, std::uint64_t seed);

// Slow: the reference runs everything behind the neuron's layer for every neuron and sample.
std::vector<CheckedEffect> verify_effects(const Model& model, const ConeNetwork& network, double temperature,
                                          const SampleSet& samples, const std::vector<std::size_t>& neurons,
                                          Threads& threads, const OnWork& on_work);

}  // namespace firn::diagnose
