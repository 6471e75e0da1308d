#include "firn/api/train.h"

#include <utility>

#include "firn/base/error.h"
#include "firn/door/inner.h"
#include "firn/study/start.h"

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
void open_folder(const training::RunFolder& folder, bool resume) {
  if (resume && !folder.holds_run()) throw Error(folder.path().string() + " holds no run that could be resumed");
  study::make_run_folder(folder, resume);
}

}  // namespace

Network train(const Config& config, const Dataset& data, const TrainOptions& options) {
  if (options.resume && options.folder.empty()) throw Error("only a run in a folder can be resumed; name the folder");
  study::Config settings = config.inner();
  settings.data.source = data.source();
  const bool has_folder = !options.folder.empty();
  const training::RunFolder folder(options.folder);
  if (has_folder) open_folder(folder, options.resume);
  Threads threads(options.threads);
  study::Run run(settings, data.inner(), threads);
  if (has_folder) study::begin_run(run, folder, {.resume = options.resume, .on_warning = options.on_warning});
  if (const auto idle = study::idle_strategy(settings); idle && options.on_warning) options.on_warning(*idle);
  training::TrainObserver observer;
  if (options.on_eval)
    observer.on_metrics = [&](const training::Metrics& m) { options.on_eval(progress_of(m, settings.train.steps)); };
  if (options.on_freeze)
    run.on_freeze = [&](const discretize::FreezeEvent& e) {
      options.on_freeze({e.step, e.layer, e.neuron, e.slot, static_cast<std::size_t>(e.gate), e.score, e.entropy});
    };
  observer.cancelled = options.cancelled;
  if (!has_folder)
    run.train(observer);
  else if (run.train(folder, observer))
    run.test(folder);
  const std::uint64_t step = run.step();
  training::Experiment experiment = std::move(run).release();
  return Network(std::shared_ptr<const Network::Inner>(
      new Network::Inner{Config(std::move(settings)), std::move(experiment.encoder), std::move(experiment.model), step,
                         experiment.data.class_names}));
}

}  // namespace firn::api
