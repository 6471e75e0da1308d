// Measures what replacing single neurons by single slots does to the risk, while everything else stays relaxed.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "firn/base/ranks.h"
#include "firn/base/threads.h"
#include "firn/diagnose/cone_network.h"
#include "firn/diagnose/sample_set.h"

namespace firn::diagnose {

// Hears how much is done; called by the thread that started the work.
using OnWork = std::function<void(std::uint64_t done, std::uint64_t total)>;

// First-order scores of every neuron, as raw gradient sums that can be added over sets of samples.
struct ScoreSums {
  std::vector<Weights16> sums;  // per neuron
  std::size_t samples = 0;
  double loss = 0;
  ConeNetwork::Ties ties;

  ScoreSums& operator+=(const ScoreSums& other);
  // The sixteen scores of a neuron, means over the samples.
  Weights16 scores(const ConeNetwork& network, std::size_t neuron) const;
};
// One forward and backward pass. Blocks are added in their order, whatever the number of threads and ranks.
ScoreSums measure_scores(const ConeNetwork& network, const SampleSet& samples, Threads& threads, const OnWork& on_work,
                         Ranks& ranks = one_rank());

struct NeuronSlots {
  std::size_t neuron;
  std::vector<std::uint8_t> slots;  // distinct
};

// Means over the samples.
struct SlotEffect {
  double effect = 0;        // realized: risk with the slot - risk with the mixture
  double displacement = 0;  // squared, over samples and positions
  double winning = 0;       // the same, counting positions that lose their pool as zero
  double first = 0;         // derivative of the risk along the displacement: the score, measured forward
  double second = 0;        // second derivative along the displacement
  // How wrong first and second order are about single samples, in absolute value; where both passes are made.
  double first_error = 0, second_error = 0;
};

// What is left of an effect where it is found as the difference of two risks in single precision.
inline double in_single_precision(double effect, double risk) {
  return static_cast<float>(risk + effect) - static_cast<float>(risk);
}

struct Measuring {
  bool effects = true, derivatives = false;
};

// One row of results for every entry, one result for every slot. Ranks share the entries.
std::vector<std::vector<SlotEffect>> measure_effects(const ConeNetwork& network, const SampleSet& samples,
                                                     const std::vector<NeuronSlots>& neurons, Measuring what,
                                                     Threads& threads, const OnWork& on_work,
                                                     Ranks& ranks = one_rank());

}  // namespace firn::diagnose
