#include "firn/study/run.h"

#include <fmt/format.h>

#include <utility>

#include "firn/base/checksum.h"
#include "firn/base/error.h"
#include "firn/base/table_sums.h"
#include "firn/data/source.h"
#include "firn/study/config_text.h"
#include "firn/study/continuation.h"
#include "firn/study/memory_needs.h"
#include "firn/study/same_data.h"
#include "firn/study/settle.h"
#include "firn/study/teacher.h"
#include "firn/train/rank_agreement.h"

namespace firn::study {

namespace {

// Nothing left open, and before anything is built from numbers that do not go together.
Config settled(Config config, const Dataset& data, int threads) {
  config = settle(std::move(config), data);
  check_settings(config.model);
  check_settings(config.train);
  check_memory(config, data.shape, threads);
  return config;
}

Dataset load_data(const Config& config, const std::string& data_root) {
  check_settings(config.model);
  check_settings(config.train);
  return load_dataset(experiment_settings(config, data_root).data);
}

Experiment make_taught_experiment(const Config& config, Dataset data, Threads& threads) {
  Experiment experiment = make_experiment(std::move(data), experiment_settings(config, ""), config.train.loss);
  experiment.teacher = load_teacher(config, experiment, threads);
  return experiment;
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
  ExperimentSettings settings{
      config.seed, config.data, config.encode, config.model, config.parts->layer_kinds, config.train.class_weights};
  settings.data.root = data_root;
  return settings;
}

Run::Run(Config config, Dataset data, Threads& threads, Ranks& ranks)
    : config_(settled(std::move(config), data, threads.count())),
      threads_(threads),
      ranks_(ranks),
      experiment_(make_taught_experiment(config_, std::move(data), threads)),
      policies_(config_, experiment_, threads),
      trainer_(experiment_, setup(), threads, ranks) {}

Run::Run(const Config& config, const std::string& data_root, Threads& threads, Ranks& ranks)
    : Run(config, load_data(config, data_root), threads, ranks) {}

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
  check_unchanged_data(trainer_.fingerprints(), checkpoint.header(), checkpoint.source());
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

std::string Run::digest() {
  return checksum_of(checkpoint_bytes(CheckpointHeader{}, experiment_.encoder,
                                      [this](StateVisitor& visitor) { trainer_.visit_state(visitor); }));
}

bool Run::train(const RunFolder& folder, const TrainObserver& observer) {
  if (!ranks_.is_first()) return train(observer);
  CsvWriter freezes = folder.open_freezes(trainer_.step());
  policies_.freezer().on_freeze = [&](const FreezeEvent& event) {
    freezes.add(freeze_cells(event));
    if (on_freeze) on_freeze(event);
  };
  TrainObserver with_freezes = observer;
  TableSums sums(folder.path());
  with_freezes.before_checkpoint = [&] {
    freezes.sync();
    for (const std::filesystem::path& table : {folder.metrics(), folder.freezes()})
      sums.cover(table.filename().string());
    sums.store();
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

std::uint64_t Run::go_to_result(const RunFolder* folder) {
  if (config_.train.patience == 0 || trainer_.best_step() == 0) return trainer_.step();
  if (folder != nullptr)
    restore_model(read_for_all(folder->best(), ranks_), *experiment_.model);
  else
    trainer_.go_to_best_in_memory();
  return trainer_.best_step();
}

std::optional<TestResult> Run::test(const RunFolder& folder) {
  const Examples& test = experiment_.data.test;
  if (test.count() == 0) return std::nullopt;
  Evaluator evaluator(*experiment_.model, experiment_.encoder, experiment_.loss, config().train.temperature,
                      experiment_.classes(), threads_, ranks_);
  const auto indices = all_indices(test.count());
  const auto load = [&](const std::filesystem::path& file) {
    const Checkpoint checkpoint = read_for_all(file, ranks_);
    restore_model(checkpoint, *experiment_.model);
    return checkpoint.header().step;
  };
  const auto evaluate = [&](std::uint64_t step) {
    const Evaluation relaxed = evaluator.run(test, indices, EvaluationMode::kRelaxed, /*with_auc=*/true);
    const Evaluation discrete = evaluator.run(test, indices, EvaluationMode::kDiscrete, /*with_auc=*/true);
    TestRow row{step, test.count(), relaxed.risk(), discrete.risk(),
                frozen_fraction(*experiment_.model, policies_.freezer().scope())};
    row.relaxed_values = relaxed.values;
    row.discrete_values = discrete.values;
    if (!relaxed.values) row.relaxed_quality = relaxed.quality(), row.discrete_quality = discrete.quality();
    return row;
  };
  TestResult result;
  result.data = trainer_.fingerprints();
  const bool has_best = ranks_.any(ranks_.is_first() && std::filesystem::exists(folder.best()));
  result.is_best_result = config_.train.patience > 0 && trainer_.best_step() > 0 && has_best;
  if (trainer_.is_out_of_patience()) result.stopped_at = trainer_.step();
  // Where the best step is not the result, its checkpoint may be damaged: the result is stored all the same.
  std::string damage;
  const auto evaluate_best = [&] {
    if (!has_best) return;
    std::uint64_t step = 0;
    try {
      step = load(folder.best());
    } catch (const Error& error) {
      damage = error.what();
      if (result.is_best_result) throw Error(fmt::format("{}, or remove it to make the last step the result", damage));
      return;
    }
    result.best = evaluate(step);
  };
  // The model stays as the last evaluation leaves it, which is the result of the run.
  if (!result.is_best_result) evaluate_best();
  result.last = evaluate(load(folder.last()));
  if (result.is_best_result) evaluate_best();
  if (ranks_.is_first()) write_result(folder, config_.name, config_.seed, result);
  if (!damage.empty())
    throw Error(
        fmt::format("{}; the result of the last step is stored in {}, and only the row of the best step is missing",
                    damage, folder.result().string()));
  return result;
}

}  // namespace firn::study
