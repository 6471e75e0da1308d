#include "firn/cli/session.h"

#include <fmt/core.h>

#include <numeric>
#include <utility>

#include "firn/base/error.h"

namespace firn {

ExperimentSettings experiment_settings(const Config& config, const std::string& data_root) {
  ExperimentSettings settings{config.seed, config.data, config.encode, config.model};
  settings.data.root = data_root;
  return settings;
}

void restore_model(const Checkpoint& checkpoint, Model& model) {
  checkpoint.restore([&](StateVisitor& visitor) { model.visit_state(visitor); });
  model.rewire();
}

LoadedCheckpoint load_checkpoint(const std::filesystem::path& file, const std::string& data_root) {
  const Checkpoint checkpoint = Checkpoint::read(file);
  const Config config = parse_config(checkpoint.header().config, fmt::format("configuration in {}", file.string()));
  Experiment experiment =
      make_experiment(experiment_settings(config, data_root), config.train.loss, checkpoint.encoder());
  restore_model(checkpoint, *experiment.model);
  return {config, checkpoint.header().step, std::move(experiment)};
}

namespace {

ResampleSettings resample_settings(const Config& config) {
  ResampleSettings settings = config.resample;
  const bool stops =
      settings.after_start == "stop" && config.freeze.strategy != "final-argmax" && config.freeze.start > 0;
  if (stops && (settings.until == 0 || settings.until > config.freeze.start)) settings.until = config.freeze.start;
  return settings;
}

}  // namespace

Policies::Policies(const Config& config, Model& model, Threads& threads)
    : freezer_(model, resolve_scope(model, config.freeze.scope)) {
  if (config.resample.enabled) resampler_.emplace(model, resample_settings(config), config.seed, threads);
  StrategyContext context{config.freeze, model, freezer_, threads, config.seed, config.train.steps};
  context.redraw = [this](std::size_t group, std::size_t i) {
    if (!resampler_ || resampler_->last_redraws(group).empty()) return Resampler::Redraw::kNone;
    return resampler_->last_redraws(group)[i];
  };
  strategy_ = make_strategy(context);
}

std::vector<Hook*> Policies::hooks() {
  std::vector<Hook*> hooks;
  if (resampler_) hooks.push_back(&*resampler_);
  hooks.push_back(strategy_.get());
  return hooks;
}

Shape known_sample_shape(const DataSettings& settings) {
  const bool digits = settings.source == "mnist" || settings.source == "fashion-mnist";
  if (settings.source != "cifar10" && !digits)
    throw Error(fmt::format(
        "the size of \"{}\" data is not known before they are read; train a step and look at the checkpoint",
        settings.source));
  const std::size_t side = settings.crop != 0 ? settings.crop : digits ? 28 : 32;
  return {digits ? std::size_t{1} : std::size_t{3}, side, side};
}

std::vector<std::uint32_t> all_indices(std::size_t count) {
  std::vector<std::uint32_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0u);
  return indices;
}

}  // namespace firn
