// What a run reports at every evaluation.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "firn/base/threads.h"
#include "firn/model/model.h"

namespace firn {

struct LayerMetrics {
  std::string name;
  double entropy = 0;  // mean over neurons, normalised to [0, 1]; frozen neurons count as 0
  double frozen = 0;   // fraction of the neurons
};

struct Risk {
  double loss = 0, accuracy = 0;
};

struct Metrics {
  std::uint64_t step = 0;
  double train_loss = 0;                    // moving average
  Risk relaxed, argmax_on_reals, discrete;  // on the validation part
  double frozen = 0;                        // fraction of the neurons in scope
  std::vector<LayerMetrics> layers;
  std::uint64_t resampled = 0;  // neurons redrawn since the last report
  double ms_per_step = 0, seconds_left = 0;

  // Discretization gap = discrete - relaxed, in loss and (with the sign turned, so that positive is worse) in accuracy.
  double loss_gap() const { return discrete.loss - relaxed.loss; }
  double accuracy_gap() const { return relaxed.accuracy - discrete.accuracy; }
};

nlohmann::json to_json(const Metrics& metrics);
std::string to_line(const Metrics& metrics);  // one tidy line for people

// Entropy and frozen fraction per Neurons, from the current logits.
std::vector<LayerMetrics> measure_layers(const Model& model, double temperature, Threads& threads);

}  // namespace firn
