#include "firn/study/policies.h"

namespace firn::study {

namespace {

ResampleSettings resample_settings(const Config& config) {
  ResampleSettings settings = config.resample;
  const bool stops =
      settings.after_start == "stop" && config.parts->strategy(config.freeze.strategy).acts && config.freeze.start > 0;
  if (stops && (settings.until == 0 || settings.until > config.freeze.start)) settings.until = config.freeze.start;
  return settings;
}

}  // namespace

Policies::Policies(const Config& config, Experiment& experiment, Threads& threads)
    : freezer_(*experiment.model, resolve_scope(*experiment.model, config.freeze.scope)) {
  Model& model = *experiment.model;
  if (config.resample.enabled) resampler_.emplace(model, resample_settings(config), config.seed, threads);
  if (config.area.weight > 0) area_.emplace(model, config.area);
  const std::uint64_t seed = config.freeze.seed != 0 ? config.freeze.seed : config.seed;
  StrategyContext context{config.freeze, model, freezer_, threads, seed, config.train.steps};
  context.redraw = [this](std::size_t group, std::size_t i) {
    if (!resampler_ || resampler_->last_redraws(group).empty()) return Resampler::Redraw::kNone;
    return resampler_->last_redraws(group)[i];
  };
  context.examples.emplace(TrainingExamples{experiment, config.data.augment});
  strategy_ = make_strategy(context, config.parts->strategies);
}

std::vector<Hook*> Policies::hooks() {
  std::vector<Hook*> hooks;
  if (resampler_) hooks.push_back(&*resampler_);
  if (area_) hooks.push_back(&*area_);
  hooks.push_back(strategy_.get());
  return hooks;
}

}  // namespace firn::study
