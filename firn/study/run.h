// One run from its configuration to its result: data, model, policies and trainer put together.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "firn/base/threads.h"
#include "firn/study/config.h"
#include "firn/study/policies.h"
#include "firn/train/checkpoint.h"
#include "firn/train/experiment.h"
#include "firn/train/run_folder.h"
#include "firn/train/trainer.h"

namespace firn {

ExperimentSettings experiment_settings(const Config& config, const std::string& data_root);

// What a checkpoint scored on the test part.
struct TestRow {
  std::uint64_t step = 0;
  std::size_t images = 0;
  Risk relaxed, discrete;
  double frozen = 0;  // fraction of the neurons in scope
};
struct TestResult {
  TestRow last;                 // the result of the run
  std::optional<TestRow> best;  // by discrete validation accuracy, from the freeze start on
};

class Run {
 public:
  // Loads the data and builds a fresh model. `threads` must outlive this.
  Run(WrittenConfig config, const std::string& data_root, Threads& threads);

  const Config& config() const { return written_.config; }
  const Experiment& experiment() const { return experiment_; }
  std::uint64_t step() const { return trainer_.step(); }

  // Continues this run from its own checkpoint.
  void resume(const Checkpoint& checkpoint) { trainer_.restore(checkpoint); }
  // Begins where the checkpoint of another run stands in which no strategy had acted yet.
  void fork(const Checkpoint& checkpoint) { trainer_.fork(checkpoint); }

  // Trains up to the last step, or until the observer cancels. True when the run is complete.
  bool train(const RunFolder& folder, const TrainObserver& observer);

  // Evaluates the folder's last and best checkpoint on the test part and stores the result. The test part is looked
  // at here and nowhere else. Nothing where the data have no test part.
  std::optional<TestResult> test(const RunFolder& folder);

 private:
  Trainer::Setup setup();

  WrittenConfig written_;
  Threads& threads_;
  Experiment experiment_;
  Policies policies_;
  Trainer trainer_;
};

// The result that a finished run has left in its folder; nothing if there is none yet.
std::optional<TestResult> read_result(const RunFolder& folder);

}  // namespace firn
