#include "firn/cli/session.h"

#include <fmt/core.h>

#include <utility>

#include "firn/base/error.h"

namespace firn {

LoadedCheckpoint load_checkpoint(const std::filesystem::path& file, const std::string& data_root) {
  const Checkpoint checkpoint = Checkpoint::read(file);
  const Config config = parse_config(checkpoint.header().config, fmt::format("configuration in {}", file.string()));
  Experiment experiment =
      make_experiment(experiment_settings(config, data_root), config.train.loss, checkpoint.encoder());
  restore_model(checkpoint, *experiment.model);
  return {config, checkpoint.header().step, std::move(experiment)};
}

std::optional<Shape> known_sample_shape(const DataSettings& settings) {
  const bool digits = settings.source == "mnist" || settings.source == "fashion-mnist";
  if (settings.source != "cifar10" && !digits) return std::nullopt;
  const std::size_t side = settings.crop != 0 ? settings.crop : digits ? 28 : 32;
  return Shape{digits ? std::size_t{1} : std::size_t{3}, side, side};
}

}  // namespace firn
