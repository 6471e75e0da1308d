// What the commands that touch a model share: a configuration or checkpoint turned into data, model and hooks.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/threads.h"
#include "firn/cli/config.h"
#include "firn/discretize/strategy.h"
#include "firn/train/checkpoint.h"
#include "firn/train/experiment.h"
#include "firn/train/resample.h"
#include "firn/train/trainer.h"

namespace firn {

ExperimentSettings experiment_settings(const Config& config, const std::string& data_root);

// A checkpoint with its configuration, and the data and model it belongs to, logits restored.
struct LoadedCheckpoint {
  Config config;
  std::uint64_t step;
  Experiment experiment;
};
// Puts the neurons and wiring of a checkpoint into a model of the same configuration.
void restore_model(const Checkpoint& checkpoint, Model& model);
LoadedCheckpoint load_checkpoint(const std::filesystem::path& file, const std::string& data_root);

// What acts on a model while it trains: resampling where it is enabled, then the freezing strategy.
class Policies {
 public:
  Policies(const Config& config, Model& model, Threads& threads);

  std::vector<Hook*> hooks();  // in the order in which they act
  Freezer& freezer() { return freezer_; }
  std::uint64_t take_resampled() { return resampler_ ? resampler_->take_redrawn() : 0; }

 private:
  std::optional<Resampler> resampler_;
  Freezer freezer_;
  std::unique_ptr<Hook> strategy_;
};

// The shape of a sample where the source has a fixed one; an Error where data must be read to know it.
Shape known_sample_shape(const DataSettings& settings);

// Indices 0..count-1: a whole part of a data set.
std::vector<std::uint32_t> all_indices(std::size_t count);

}  // namespace firn
