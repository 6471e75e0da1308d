// What the commands that touch a model share: a checkpoint turned into data and model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "firn/cli/config.h"
#include "firn/study/run.h"
#include "firn/train/checkpoint.h"
#include "firn/train/experiment.h"

namespace firn {

// A checkpoint with its configuration, and the data and model it belongs to, logits restored.
struct LoadedCheckpoint {
  Config config;
  std::uint64_t step;
  Experiment experiment;
};
LoadedCheckpoint load_checkpoint(const std::filesystem::path& file, const std::string& data_root);

// The shape of a sample where the source has a fixed one; nothing where data must be read to know it.
std::optional<Shape> known_sample_shape(const DataSettings& settings);

}  // namespace firn
