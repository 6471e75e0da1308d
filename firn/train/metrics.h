// What a run reports at every evaluation.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/threads.h"
#include "firn/model/model.h"
#include "firn/train/evaluate.h"

namespace firn::training {

struct LayerMetrics {
  std::string name;
  double entropy = 0;  // mean over neurons, normalised to [0, 1]; frozen neurons count as 0
  double frozen = 0;   // fraction of the neurons
};

// The way from the mixture to the circuit in two parts: choosing gates, and computing with bits instead of reals. A gap
// is what is lost, so that positive is worse in loss and in accuracy.
struct Gaps {
  Risk relaxed, argmax_on_reals, discrete;

  Risk selection() const { return lost(relaxed, argmax_on_reals); }
  Risk computation() const { return lost(argmax_on_reals, discrete); }
  Risk discretization() const { return lost(relaxed, discrete); }
  std::vector<std::pair<std::string, Risk>> rows() const;  // the three risks, then the three gaps, with names

 private:
  static Risk lost(const Risk& from, const Risk& to);
};

struct Metrics {
  std::uint64_t step = 0;
  double train_loss = 0;     // moving average
  double learning_rate = 0;  // of the step
  Gaps risks;                // on the validation set
  double frozen = 0;         // fraction of the neurons in scope
  std::vector<LayerMetrics> layers;
  std::uint64_t resampled = 0;  // neurons redrawn since the last report
  double ms_per_step = 0, seconds_left = 0;
};

nlohmann::json to_json(const Metrics& metrics);
std::string to_line(const Metrics& metrics);  // one tidy line for people

// Fraction of the neurons of the listed groups that are frozen.
double frozen_fraction(const Model& model, std::span<const std::size_t> groups);

// Entropy and frozen fraction per Neurons, from the current logits.
std::vector<LayerMetrics> measure_layers(const Model& model, double temperature, Threads& threads);

}  // namespace firn::training
