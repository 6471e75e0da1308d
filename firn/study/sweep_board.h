// What a sweep has to do, as tasks, and which of them are done, as its folder says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "firn/study/prefix.h"
#include "firn/train/run_folder.h"
#include "firn/train/test_result.h"

namespace firn::study {

// A shared beginning or a run, by its number among those.
struct SweepTask {
  bool is_prefix;
  std::size_t index;
};

class SweepBoard {
 public:
  // Refuses a folder that holds runs of these names but of other configurations. Prefixes are found by their
  // configuration, whatever their folders are called. Nothing is written.
  SweepBoard(std::vector<SweepRun> runs, PrefixPlan prefixes, std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  const std::vector<SweepRun>& runs() const { return runs_; }
  const PrefixPlan& prefixes() const { return prefixes_; }
  // In the order in which they are best begun: every prefix before its runs, then what shares nothing.
  const std::vector<SweepTask>& tasks() const { return tasks_; }

  const SweepRun& run_of(const SweepTask& task) const;
  // Where its folder is when it is done, seen from the folder of the sweep.
  std::filesystem::path place_of(const SweepTask& task) const;
  std::filesystem::path path_of(const SweepTask& task) const { return folder_ / place_of(task); }
  std::optional<SweepTask> prefix_of(const SweepTask& task) const;  // what it waits for
  std::uint64_t first_step(const SweepTask& task) const;            // steps that its prefix does for it
  std::uint64_t last_step(const SweepTask& task) const;
  std::uint64_t total_steps() const;

  // Looks into the folder each time.
  bool is_done(const SweepTask& task) const;
  std::optional<TestResult> result_of(std::size_t run) const;
  // Of every run; nothing where there is none yet.
  std::vector<std::optional<TestResult>> results() const;

  // Temporaries of dead processes, in all folders of the sweep. Those of workers that live are locked, and stay.
  void remove_left_behind() const;

 private:
  std::filesystem::path folder_;
  std::vector<SweepRun> runs_;
  PrefixPlan prefixes_;
  std::vector<std::filesystem::path> prefix_places_;  // one for each prefix
  std::vector<SweepTask> tasks_;
};

// An Error where the folder holds a run of another configuration, which names the first key that differs.
void check_same_config(const RunFolder& folder, const Config& config);

}  // namespace firn::study
