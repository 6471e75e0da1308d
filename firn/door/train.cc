#include "firn/api/train.h"

#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/door/inner.h"
#include "firn/study/config_text.h"
#include "firn/study/run.h"

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

// Continues the run of a folder, or begins one in it; true when the run is complete.
bool train_in_folder(study::Run& run, const TrainOptions& options, const training::TrainObserver& observer) {
  const training::RunFolder folder(options.folder);
  if (!options.resume && folder.holds_run())
    throw Error(options.folder + " already holds a run; resume it, or choose another folder");
  if (options.resume && !folder.holds_run()) throw Error(options.folder + " holds no run that could be resumed");
  folder.make();
  const auto checkpoint = options.resume ? folder.newest([](std::string_view) {}) : std::nullopt;
  if (checkpoint) run.resume(*checkpoint);
  write_file(folder.config(), study::to_toml(run.config()));  // a resumed run may have become longer
  if (!run.train(folder, observer)) return false;
  run.test(folder);
  return true;
}

}  // namespace

Network train(const Config& config, const Dataset& data, const TrainOptions& options) {
  if (options.resume && options.folder.empty()) throw Error("only a run in a folder can be resumed; name the folder");
  study::Config settings = config.inner();
  settings.data.source = data.source();
  Threads threads(options.threads);
  study::Run run(settings, data.inner(), threads);
  training::TrainObserver observer;
  if (options.on_eval)
    observer.on_metrics = [&](const training::Metrics& m) { options.on_eval(progress_of(m, settings.train.steps)); };
  if (options.on_freeze)
    run.on_freeze = [&](const discretize::FreezeEvent& e) {
      options.on_freeze({e.step, e.layer, e.neuron, e.slot, static_cast<std::size_t>(e.gate), e.score, e.entropy});
    };
  observer.cancelled = options.cancelled;
  if (options.folder.empty())
    run.train(observer);
  else
    train_in_folder(run, options, observer);
  const std::uint64_t step = run.step();
  training::Experiment experiment = std::move(run).release();
  return Network(std::shared_ptr<const Network::Inner>(
      new Network::Inner{Config(std::move(settings)), std::move(experiment.encoder), std::move(experiment.model), step,
                         experiment.data.class_names}));
}

}  // namespace firn::api
