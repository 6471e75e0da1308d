// Single-row flips of a discrete network in figures, layer by layer: how far its gates are from a local optimum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firn/logic/gate.h"
#include "firn/refine/flips.h"

namespace firn::study {

// One row of the truth table of one gate, flipped.
struct DiscreteFlip {
  std::size_t layer = 0, neuron = 0;  // of the Boolean network, and in its layer
  std::size_t row = 0;                // 2a + b
  Gate gate = Gate::kFalse;           // as it is
  Effect fitting, held_out;
  double entropy = 0;  // of the neuron, divided by ln 16
  // What the relaxed network says about the same replacement, the gate as it is by the flipped one: the difference of
  // their scores, and of their effects. Nothing where the neuron has no slot for the flipped gate; effects also where
  // the neuron was not drawn.
  std::optional<double> score = {}, relaxed_effect = {};

  bool lowers_loss() const;     // of the fitting examples, beyond rounding
  bool is_significant() const;  // by more than two standard errors
};

// Flips that lower the loss of the fitting examples, and how many of them lower that of the held-out ones.
struct Gains {
  std::size_t flips = 0, also_held_out = 0;
};

// Spearman's correlations over flips; nothing where one side is constant.
struct FlipCorrelation {
  std::size_t flips = 0;
  std::optional<double> fitting, held_out;  // with the effects on these examples
};

inline constexpr std::array kFlipQuantiles = {0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0};
using FlipQuantiles = std::array<std::optional<double>, kFlipQuantiles.size()>;

struct LayerFlips {
  std::string layer;  // or "all"
  std::size_t gates = 0, flips = 0;
  std::size_t without_effect = 0;  // on any fitting example
  Gains lower, significant;
  std::size_t significant_gates = 0;                               // that have a significant flip
  FlipQuantiles fitting, held_out;                                 // of the effects
  std::vector<std::size_t> fitting_histogram, held_out_histogram;  // by flip_bin_edges()
  FlipCorrelation score, relaxed_effect, entropy;
  std::optional<double> fitting_with_held_out;
};

// Bins are logarithmic on both sides of one around zero; what is larger belongs to the first or last.
std::vector<double> flip_bin_edges();

// One entry per layer that has gates, and one for all. `names` are those of the layers of the Boolean network.
std::vector<LayerFlips> summarize_flips(std::span<const DiscreteFlip> flips, std::span<const std::string> names);

}  // namespace firn::study
