#include "firn/study/run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"

namespace firn {

namespace {

using nlohmann::json;

json to_json(const TestRow& row) {
  return {{"step", row.step},
          {"images", row.images},
          {"relaxed_accuracy", row.relaxed.accuracy},
          {"relaxed_loss", row.relaxed.loss},
          {"discrete_accuracy", row.discrete.accuracy},
          {"discrete_loss", row.discrete.loss},
          {"frozen", row.frozen}};
}

TestRow row_from_json(const json& object) {
  return {.step = object.at("step"),
          .images = object.at("images"),
          .relaxed = {object.at("relaxed_loss"), object.at("relaxed_accuracy")},
          .discrete = {object.at("discrete_loss"), object.at("discrete_accuracy")},
          .frozen = object.at("frozen")};
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
  ExperimentSettings settings{config.seed, config.data, config.encode, config.model};
  settings.data.root = data_root;
  return settings;
}

Run::Run(WrittenConfig config, const std::string& data_root, Threads& threads)
    : written_(std::move(config)),
      threads_(threads),
      experiment_(make_experiment(experiment_settings(written_.config, data_root), written_.config.train.loss)),
      policies_(written_.config, *experiment_.model, threads),
      trainer_(experiment_, setup(), threads) {}

Trainer::Setup Run::setup() {
  const Config& config = written_.config;
  Trainer::Setup setup{
      .settings = config.train, .config = written_.text, .seed = config.seed, .augment = config.data.augment};
  setup.hooks = policies_.hooks();
  setup.scope = policies_.freezer().scope();
  setup.best_from = config.freeze.start;
  setup.take_resampled = [this] { return policies_.take_resampled(); };
  return setup;
}

bool Run::train(const RunFolder& folder, const TrainObserver& observer) {
  CsvWriter freezes = folder.open_freezes(trainer_.step());
  policies_.freezer().on_freeze = [&freezes](const FreezeEvent& event) { freezes.add(freeze_cells(event)); };
  TrainObserver with_freezes = observer;
  with_freezes.before_checkpoint = [&] {
    freezes.sync();
    if (observer.before_checkpoint) observer.before_checkpoint();
  };
  const bool complete = trainer_.run(folder, with_freezes);
  policies_.freezer().on_freeze = [](const FreezeEvent&) {};
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
  TestResult result{evaluate(folder.last()), std::nullopt};
  if (std::filesystem::exists(folder.best())) result.best = evaluate(folder.best());
  json object = {{"name", config().name}, {"seed", config().seed}, {"last", to_json(result.last)}};
  if (result.best) object["best"] = to_json(*result.best);
  write_file(folder.result(), object.dump(2) + "\n");
  return result;
}

std::optional<TestResult> read_result(const RunFolder& folder) {
  if (!std::filesystem::exists(folder.result())) return std::nullopt;
  try {
    const json object = json::parse(read_text(folder.result()));
    TestResult result{row_from_json(object.at("last")), std::nullopt};
    if (object.contains("best")) result.best = row_from_json(object.at("best"));
    return result;
  } catch (const json::exception& error) {
    throw Error(fmt::format("{} is no result of a run ({}); remove it and the run is evaluated again",
                            folder.result().string(), error.what()));
  }
}

}  // namespace firn
