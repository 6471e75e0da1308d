// Trains a task of a sweep in a folder that nobody else uses meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "firn/base/threads.h"
#include "firn/study/run.h"
#include "firn/study/sweep_board.h"

namespace firn::study {

struct TaskObserver {
  std::function<void(std::uint64_t step)> on_step;  // where it starts, and then every step
  std::function<bool()> cancelled;
};

class TaskTrainer {
 public:
  // The board must outlive this.
  TaskTrainer(const SweepBoard& board, std::string data_root, int threads)
      : board_(board), data_root_(std::move(data_root)), threads_(threads) {}

  // Goes on from the newest checkpoint in the folder, else from the run's prefix, else from the first step. True when
  // the task is done; a run then has its result in the folder. False when it was cancelled.
  bool train(const SweepTask& task, const RunFolder& folder, const TaskObserver& observer);

 private:
  // Runs on other data would be compared as if they were on the same.
  void check_against_finished(const Run& run) const;
  std::uint64_t first_lost_step(const SweepTask& task, const RunFolder& folder) const;
  void begin(Run& run, const SweepTask& task, const RunFolder& folder) const;

  const SweepBoard& board_;
  std::string data_root_;
  Threads threads_;
};

}  // namespace firn::study
