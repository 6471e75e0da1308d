#include "firn/api/train.h"

#include <optional>
#include <utility>

#include "firn/base/error.h"
#include "firn/data/split.h"
#include "firn/door/inner.h"
#include "firn/study/start.h"
#include "firn/study/warnings.h"

namespace firn::api {

namespace {

TrainProgress progress_of(const training::Metrics& metrics, std::uint64_t steps) {
  TrainProgress progress;
  progress.step = metrics.step;
  progress.steps = steps;
  progress.train_loss = metrics.train_loss;
  progress.relaxed = {metrics.risks.relaxed.loss, metrics.risks.relaxed.accuracy};
  progress.discrete = {metrics.risks.discrete.loss, metrics.risks.discrete.accuracy};
  progress.frozen = metrics.frozen;
  progress.learning_rate = metrics.learning_rate;
  progress.seconds_left = metrics.seconds_left;
  return progress;
}

// Before anything is built: is there a folder to resume from, or room for a new run?
std::optional<study::OutputFolder> open_folder(const training::RunFolder& folder, const TrainOptions& options,
                                               Ranks& ranks) {
  if (options.resume && ranks.is_first() && !folder.holds_run())
    throw Error(folder.path().string() + " holds no run that could be resumed");
  std::function<bool()> wait;
  if (options.wait) wait = [&] { return !options.cancelled || !options.cancelled(); };
  return study::open_run_folder(folder, options.resume, wait, ranks);
}

}  // namespace

Network train(const Config& config, const Dataset& data, const TrainOptions& options) {
  if (options.resume && options.folder.empty()) throw Error("only a run in a folder can be resumed; name the folder");
  study::Config settings = config.inner();
  settings.data.source = data.source();
  const bool has_folder = !options.folder.empty();
  const training::RunFolder folder(options.folder);
  Ranks& ranks = options.job != nullptr ? options.job->inner() : one_rank();
  const std::optional<study::OutputFolder> opened = has_folder ? open_folder(folder, options, ranks) : std::nullopt;
  Threads threads(options.threads);
  if (options.resume) settings = study::as_in_folder(settings, folder, ranks);
  // By the source that the configuration names: the same arrays are divided alike, from memory or from a file.
  if (settings.data.split == "auto") settings.data.split = data::automatic_split(config.inner().data.source);
  study::Run run(settings, data.inner(), threads, ranks);
  settings = run.config();
  if (has_folder) study::begin_run(run, folder, {.resume = options.resume, .on_warning = options.on_warning});
  if (options.on_warning)
    for (const std::string& warning : study::warnings_about(settings, run.experiment())) options.on_warning(warning);
  training::TrainObserver observer;
  if (options.on_eval)
    observer.on_metrics = [&](const training::Metrics& m) { options.on_eval(progress_of(m, settings.train.steps)); };
  if (options.on_freeze)
    run.on_freeze = [&](const discretize::FreezeEvent& e) {
      options.on_freeze({e.step, e.layer, e.neuron, e.slot, static_cast<std::size_t>(e.gate), e.score, e.entropy});
    };
  observer.cancelled = options.cancelled;
  const bool is_complete = has_folder ? run.train(folder, observer) : run.train(observer);
  if (has_folder && is_complete) run.test(folder);
  const std::uint64_t step = is_complete ? run.go_to_result(has_folder ? &folder : nullptr) : run.step();
  const data::Fingerprints fingerprints = run.trainer().fingerprints();
  training::Experiment experiment = std::move(run).release();
  return Network(std::shared_ptr<const Network::Inner>(
      new Network::Inner{Config(std::move(settings)), std::move(experiment.encoder), std::move(experiment.model), step,
                         experiment.data.class_names, experiment.data.schema, experiment.loss.scale, fingerprints}));
}

}  // namespace firn::api
