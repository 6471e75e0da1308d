// One run from its configuration to its result: data, model, policies and trainer put together.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "firn/base/ranks.h"
#include "firn/base/threads.h"
#include "firn/study/config.h"
#include "firn/study/output_folder.h"
#include "firn/study/policies.h"
#include "firn/train/checkpoint.h"
#include "firn/train/experiment.h"
#include "firn/train/run_folder.h"
#include "firn/train/test_result.h"
#include "firn/train/trainer.h"

namespace firn::study {

ExperimentSettings experiment_settings(const Config& config, const std::string& data_root);

class Run {
 public:
  // Loads the data, lets them decide what the configuration leaves open, and builds a fresh model. `threads` and the
  // parts of the configuration must outlive this, and so must `ranks`, all of which make the same calls: they train
  // together, and rank 0 writes the files. An Error where they have different data or settings.
  Run(const Config& config, const std::string& data_root, Threads& threads, Ranks& ranks = one_rank());
  // The same on data that are there already.
  Run(Config config, Dataset data, Threads& threads, Ranks& ranks = one_rank());

  const Config& config() const { return config_; }
  const Experiment& experiment() const { return experiment_; }
  Experiment release() && { return std::move(experiment_); }  // data and model, when training is over
  Ranks& ranks() const { return ranks_; }
  std::uint64_t step() const { return trainer_.step(); }
  const Trainer& trainer() const { return trainer_; }
  bool is_complete() const { return step() >= config_.train.steps || trainer_.is_out_of_patience(); }

  // Continues this run from its own checkpoint. Refuses one that was made with other data or settings, unless they only
  // make the run longer or cannot change its results.
  void resume(const Checkpoint& checkpoint);
  // Begins where the checkpoint of another run stands, which may be trained in another way from here on. Refuses one of
  // other data, another encoding or another model.
  void fork(const Checkpoint& checkpoint);
  // Changes with every bit of what training has changed so far, and of the encoder.
  std::string digest();
  // Stores where the run stands as the folder's last checkpoint.
  void save(const RunFolder& folder) {
    if (ranks_.is_first()) trainer_.save_last(folder);
  }

  // The same as a checkpoint that stays.
  void save_kept(const RunFolder& folder) {
    if (ranks_.is_first()) trainer_.save_kept(folder);
  }

  // Holds the lock of the run's folder for as long as the run exists.
  void keep(OutputFolder folder) { folder_.emplace(std::move(folder)); }

  // Trains up to the last step, or until the observer cancels. True when the run is complete.
  bool train(const RunFolder& folder, const TrainObserver& observer);
  // The same without any files.
  bool train(const TrainObserver& observer);

  std::function<void(const FreezeEvent&)> on_freeze = {};  // hears of every freeze; may stay empty

  // With patience, the best step is what training was for: puts it into the model, from the folder or from memory, and
  // returns its number. Else, and where no step was eligible, nothing happens.
  std::uint64_t go_to_result(const RunFolder* folder);

  // Evaluates the folder's last and best checkpoint on the test set and stores the result. The test set is looked
  // at here and nowhere else. Nothing where the data have no test set. An Error where the best checkpoint is damaged;
  // unless that is the result of the run, the result is stored without it.
  std::optional<TestResult> test(const RunFolder& folder);

 private:
  Trainer::Setup setup();

  std::optional<OutputFolder> folder_;
  Config config_;
  Threads& threads_;
  Ranks& ranks_;
  Experiment experiment_;
  Policies policies_;
  Trainer trainer_;
};

}  // namespace firn::study
