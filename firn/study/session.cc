#include "firn/study/session.h"

#include <fmt/core.h>

#include <utility>

#include "firn/base/error.h"
#include "firn/base/memory.h"
#include "firn/study/memory_needs.h"
#include "firn/study/same_data.h"

namespace firn::study {

Config config_of(const Checkpoint& checkpoint, std::span<const Override> overrides, const Parts& parts) {
  return parse_stored_config(checkpoint.header().config, fmt::format("configuration in {}", checkpoint.source()),
                             overrides, parts);
}

namespace {

// Memory follows the file and not what its configuration promises: a checkpoint holds the logits of every neuron.
void check_holds_logits(const Checkpoint& checkpoint, const Config& config, const Encoder& encoder) {
  const double needed = logit_bytes(config, encoder.output_shape());
  if (needed > static_cast<double>(checkpoint.bytes()))
    throw Error(
        fmt::format("{} holds {}, but the logits of the network that its configuration describes are {}; the "
                    "file is damaged",
                    checkpoint.source(), format_bytes(static_cast<double>(checkpoint.bytes())), format_bytes(needed)));
}

}  // namespace

RebuiltModel rebuild_model(const Checkpoint& checkpoint, const Parts& parts) {
  Config config = config_of(checkpoint, {}, parts);
  Encoder encoder = checkpoint.encoder();
  check_holds_logits(checkpoint, config, encoder);
  auto model = build_model(config.model, encoder.output_shape(), checkpoint.header().outputs, config.seed,
                           config.parts->layer_kinds, encoder.bits_per_value());
  restore_model(checkpoint, *model);
  return {std::move(config), std::move(encoder), std::move(model)};
}

LoadedCheckpoint load_checkpoint(const std::filesystem::path& file, const std::string& data_root, const Parts& parts) {
  return load_checkpoint(Checkpoint::read(file), data_root, parts);
}

LoadedCheckpoint load_checkpoint(const Checkpoint& checkpoint, const std::string& data_root, const Parts& parts) {
  Config config = config_of(checkpoint, {}, parts);
  Encoder encoder = checkpoint.encoder();
  check_holds_logits(checkpoint, config, encoder);
  Experiment experiment =
      make_experiment(experiment_settings(config, data_root), config.train.loss, std::move(encoder));
  if (experiment.model->outputs() != checkpoint.header().outputs)
    throw Error(fmt::format("{} was made for {} outputs, but \"{}\" needs {}; use the data it was trained on",
                            checkpoint.source(), checkpoint.header().outputs, experiment.data.name,
                            experiment.model->outputs()));
  check_same_data(experiment.data, checkpoint.header(), checkpoint.source());
  restore_model(checkpoint, *experiment.model);
  experiment.loss = scaled_loss(config.train.loss, checkpoint.header().loss);
  return {checkpoint.header(), std::move(config), std::move(experiment)};
}

std::optional<Shape> known_sample_shape(const DataSettings& settings) {
  const bool digits = settings.source == "mnist" || settings.source == "fashion-mnist";
  if (settings.source != "cifar10" && !digits) return std::nullopt;
  const std::size_t side = settings.crop != 0 ? settings.crop : digits ? 28 : 32;
  return Shape{digits ? std::size_t{1} : std::size_t{3}, side, side};
}

}  // namespace firn::study
