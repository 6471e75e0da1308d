#include "firn/study/run.h"

#include <fmt/format.h>

#include <utility>

#include "firn/base/error.h"
#include "firn/study/config_text.h"
#include "firn/study/continuation.h"

namespace firn::study {

namespace {

// Before anything is built from numbers that do not go together.
Config checked(Config config) {
  check_settings(config.model);
  check_settings(config.train);
  return config;
}

std::vector<std::string> freeze_cells(const FreezeEvent& event) {
  return {std::to_string(event.step),
          event.layer,
          std::to_string(event.neuron),
          std::to_string(event.slot),
          std::to_string(static_cast<int>(event.gate)),
          fmt::format("{:.9g}", event.score),
          fmt::format("{:.6g}", event.entropy)};
}

}  // namespace

ExperimentSettings experiment_settings(const Config& config, const std::string& data_root) {
  ExperimentSettings settings{config.seed, config.data, config.encode, config.model, config.parts->layer_kinds};
  settings.data.root = data_root;
  return settings;
}

Run::Run(Config config, Dataset data, Threads& threads)
    : config_(checked(std::move(config))),
      threads_(threads),
      experiment_(make_experiment(std::move(data), experiment_settings(config_, ""), config_.train.loss)),
      policies_(config_, experiment_, threads),
      trainer_(experiment_, setup(), threads) {}

Run::Run(Config config, const std::string& data_root, Threads& threads)
    : config_(checked(std::move(config))),
      threads_(threads),
      experiment_(make_experiment(experiment_settings(config_, data_root), config_.train.loss)),
      policies_(config_, experiment_, threads),
      trainer_(experiment_, setup(), threads) {}

Trainer::Setup Run::setup() {
  Trainer::Setup setup{
      .settings = config_.train, .config = to_toml(config_), .seed = config_.seed, .augment = config_.data.augment};
  setup.hooks = policies_.hooks();
  setup.scope = policies_.freezer().scope();
  setup.best_from = config_.freeze.start;
  setup.take_resampled = [this] { return policies_.take_resampled(); };
  return setup;
}

void Run::resume(const Checkpoint& checkpoint) {
  check_resumable(checkpoint, config_);
  trainer_.restore(checkpoint);
}

void Run::fork(const Checkpoint& checkpoint) {
  check_forkable(checkpoint, config_);
  if (checkpoint.header().outputs != experiment_.model->outputs())
    throw Error(fmt::format("{} has {} outputs, but train.loss = \"{}\" needs {}; keep the loss it was trained with",
                            checkpoint.source(), checkpoint.header().outputs, config_.train.loss,
                            experiment_.model->outputs()));
  trainer_.fork(checkpoint);
}

bool Run::train(const RunFolder& folder, const TrainObserver& observer) {
  CsvWriter freezes = folder.open_freezes(trainer_.step());
  policies_.freezer().on_freeze = [&](const FreezeEvent& event) {
    freezes.add(freeze_cells(event));
    if (on_freeze) on_freeze(event);
  };
  TrainObserver with_freezes = observer;
  with_freezes.before_checkpoint = [&] {
    freezes.sync();
    if (observer.before_checkpoint) observer.before_checkpoint();
  };
  const bool complete = trainer_.run(&folder, with_freezes);
  policies_.freezer().on_freeze = [](const FreezeEvent&) {};
  return complete;
}

bool Run::train(const TrainObserver& observer) {
  policies_.freezer().on_freeze = on_freeze;
  const bool complete = trainer_.run(nullptr, observer);
  policies_.freezer().on_freeze = {};
  return complete;
}

std::optional<TestResult> Run::test(const RunFolder& folder) {
  const Examples& test = experiment_.data.test;
  if (test.count() == 0) return std::nullopt;
  Evaluator evaluator(*experiment_.model, experiment_.encoder, loss_from_name(config().train.loss),
                      config().train.temperature, experiment_.classes(), threads_);
  const auto indices = all_indices(test.count());
  const auto risk = [&](EvaluationMode mode) { return evaluator.run(test, indices, mode).risk(); };
  const auto evaluate = [&](const std::filesystem::path& file) {
    const Checkpoint checkpoint = Checkpoint::read(file);
    restore_model(checkpoint, *experiment_.model);
    return TestRow{checkpoint.header().step, test.count(), risk(EvaluationMode::kRelaxed),
                   risk(EvaluationMode::kDiscrete), frozen_fraction(*experiment_.model, policies_.freezer().scope())};
  };
  TestResult result;
  if (std::filesystem::exists(folder.best())) result.best = evaluate(folder.best());
  result.last = evaluate(folder.last());  // the model stays as this leaves it
  write_result(folder, config_.name, config_.seed, result);
  return result;
}

}  // namespace firn::study
