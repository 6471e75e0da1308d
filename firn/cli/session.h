// What the commands that touch a model share: a configuration or checkpoint turned into data, model and hooks.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/threads.h"
#include "firn/cli/config.h"
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
LoadedCheckpoint load_checkpoint(const std::filesystem::path& file, const std::string& data_root);

// Indices 0..count-1: a whole part of a data set.
std::vector<std::uint32_t> all_indices(std::size_t count);

}  // namespace firn
