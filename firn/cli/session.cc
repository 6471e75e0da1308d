#include "firn/cli/session.h"

#include <fmt/core.h>

#include <numeric>
#include <utility>

namespace firn {

ExperimentSettings experiment_settings(const Config& config, const std::string& data_root) {
  ExperimentSettings settings{config.seed, config.data, config.encode, config.model};
  settings.data.root = data_root;
  return settings;
}

LoadedCheckpoint load_checkpoint(const std::filesystem::path& file, const std::string& data_root) {
  const Checkpoint checkpoint = Checkpoint::read(file);
  const Config config = parse_config(checkpoint.header().config, fmt::format("configuration in {}", file.string()));
  Experiment experiment =
      make_experiment(experiment_settings(config, data_root), config.train.loss, checkpoint.encoder());
  checkpoint.restore([&](StateVisitor& visitor) { experiment.model->visit_state(visitor); });
  experiment.model->rewire();
  return {config, checkpoint.header().step, std::move(experiment)};
}

std::vector<std::uint32_t> all_indices(std::size_t count) {
  std::vector<std::uint32_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0u);
  return indices;
}

}  // namespace firn
