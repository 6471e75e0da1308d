// The parts of a run that belong together: data, split, encoder and model, built from settings or from a checkpoint.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "firn/data/dataset.h"
#include "firn/data/settings.h"
#include "firn/data/split.h"
#include "firn/encode/encoder.h"
#include "firn/model/build.h"
#include "firn/model/model.h"
#include "firn/train/loss.h"
#include "firn/train/teacher.h"

namespace firn::training {

struct ExperimentSettings {
  std::uint64_t seed = 1;
  DataSettings data;
  EncodeSettings encode;
  ModelSettings model;
  LayerKinds layer_kinds = standard_layer_kinds();
  NumbersOrWord class_weights = {};
};

struct Experiment {
  Dataset data;
  Split split;
  Encoder encoder;
  std::unique_ptr<Model> model;
  Loss loss;  // as the training split scales it
  std::optional<Teacher> teacher = {};

  std::size_t classes() const { return data.classes; }
};

// Outputs of the head: one per class, but a single logit for two classes under the one-logit losses, and a single value
// where there are no classes.
std::size_t model_outputs(std::size_t classes, const std::string& loss);

// Splits the data and builds a fresh model. The encoder is fitted on the training split, unless one is given.
Experiment make_experiment(Dataset data, const ExperimentSettings& settings, const std::string& loss,
                           std::optional<Encoder> encoder = std::nullopt);

// The same with the data that the settings name.
Experiment make_experiment(const ExperimentSettings& settings, const std::string& loss,
                           std::optional<Encoder> encoder = std::nullopt);

}  // namespace firn::training
