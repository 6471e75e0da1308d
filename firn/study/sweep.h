// Many runs in one folder: finished ones are not repeated, interrupted ones go on, and common beginnings are trained
// once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firn/study/prefix.h"
#include "firn/study/sweep_board.h"

namespace firn::study {

struct SweepSettings {
  std::filesystem::path folder;
  std::string data_root;
  int jobs = 1;                     // runs at a time
  int threads = 1;                  // of each
  std::function<bool()> wait = {};  // for another process that uses the folder, see FolderLock
};

// Calls never overlap, and any may be empty. A sweep prints nothing; whoever runs it listens.
struct SweepObserver {
  std::function<void(std::uint64_t steps_done)> on_step;
  std::function<void(const SweepRun&, const TestResult&)> on_result;
  std::function<void(const SweepRun&, const std::string& error)> on_failure;
  std::function<bool()> cancelled;
};

// While it runs, the folder and those of the runs in progress are locked.
class Sweep {
 public:
  // Refuses a folder that holds runs of these names but of other configurations. Prefixes are found by their
  // configuration, whatever their folders are called. Nothing is written before run().
  Sweep(std::vector<SweepRun> runs, SweepSettings settings, PrefixPlan prefixes);

  std::uint64_t total_steps() const { return board_.total_steps(); }
  std::uint64_t finished_steps() const;  // of runs that need no more work

  // Trains what is not finished. True when every run has a result; what failed or was cancelled has none. What
  // on_failure throws stops the sweep and reaches the caller; what the other callbacks throw is a failure of the run.
  bool run(const SweepObserver& observer);

  const std::vector<SweepRun>& runs() const { return board_.runs(); }
  const std::vector<std::optional<TestResult>>& results() const { return results_; }  // one for each run
  std::filesystem::path run_path(std::size_t r) const { return board_.path_of({false, r}); }

 private:
  class Schedule;
  class Job;

  SweepSettings settings_;
  SweepBoard board_;
  std::vector<std::optional<TestResult>> results_;
};

}  // namespace firn::study
