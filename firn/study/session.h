// A checkpoint turned into a model, with its data or without.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "firn/study/config_text.h"
#include "firn/study/run.h"
#include "firn/train/checkpoint.h"
#include "firn/train/experiment.h"

namespace firn::study {

// The configuration in a checkpoint, with keys set anew where somebody wants to.
Config config_of(const Checkpoint& checkpoint, std::span<const Override> overrides = {},
                 const Parts& parts = standard_parts());

// What a checkpoint holds, without the data it was trained on.
struct RebuiltModel {
  Config config;
  Encoder encoder;
  std::unique_ptr<Model> model;
};
RebuiltModel rebuild_model(const Checkpoint& checkpoint, const Parts& parts = standard_parts());

// A checkpoint with its configuration, and the data and model it belongs to, logits restored.
struct LoadedCheckpoint {
  CheckpointHeader header;
  Config config;
  Experiment experiment;
};
LoadedCheckpoint load_checkpoint(const Checkpoint& checkpoint, const std::string& data_root,
                                 const Parts& parts = standard_parts());
LoadedCheckpoint load_checkpoint(const std::filesystem::path& file, const std::string& data_root,
                                 const Parts& parts = standard_parts());

// The shape of a sample where the source has a fixed one; nothing where data must be read to know it.
std::optional<Shape> known_sample_shape(const DataSettings& settings);

}  // namespace firn::study
