// A sweep that any number of processes work on together, on any number of machines that see its folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firn/study/heartbeat.h"
#include "firn/study/sweep.h"
#include "firn/study/sweep_board.h"

namespace firn::study {

struct SharingSettings {
  double silence = WorkerState{}.silence;  // seconds without a sign of life after which others take a task over
  int retries = 2;                         // of a task that has failed, by whomever
  bool forget_failures = false;            // try again what was given up
};

// A task that was given up.
struct TaskFailure {
  SweepTask task;
  std::size_t tries;
  std::string error;  // of the last one
};

// The tasks that have failed more often than they may be retried.
std::vector<TaskFailure> given_up(const SweepBoard& board, int retries);

// What a worker has begun with, for whoever listens.
struct TaskStart {
  SweepRun run;
  bool is_prefix;
  std::uint64_t attempt;  // from 1
};

struct SharingObserver {
  std::function<void(const TaskStart&)> on_start = {};
  std::function<void()> on_wait = {};  // there is nothing to do before others are done
};

// This process's part in it: workers that take tasks until every run has a result or was given up. See Attempts and
// Heartbeat for how they agree with others on who does what.
class SharedSweep {
 public:
  // As Sweep does. Nothing is written.
  SharedSweep(std::vector<SweepRun> runs, SweepSettings settings, PrefixPlan prefixes, SharingSettings sharing);

  // Works until all is done. True when every run has a result. The observer of the sweep hears of the results and
  // failures of this process, and of its steps. Refuses a folder that a sweep without workers uses, and a machine that
  // would train other bits: see check_sweep_samples().
  bool run(const SweepObserver& observer, const SharingObserver& sharing = {});

  const SweepBoard& board() const { return board_; }
  const std::string& worker() const { return name_; }
  std::vector<TaskFailure> failures() const { return given_up(board_, sharing_.retries); }

 private:
  struct Common;
  class Job;

  void join();

  SweepSettings settings_;
  SharingSettings sharing_;
  SweepBoard board_;
  std::string name_ = unique_worker_name();
};

}  // namespace firn::study
