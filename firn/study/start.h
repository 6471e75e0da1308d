// How a run gets going in its folder: fresh, resumed where it stopped, or forked from a checkpoint of another run.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "firn/study/config_text.h"
#include "firn/study/output_folder.h"
#include "firn/study/run.h"

namespace firn::study {

struct StartParams {
  std::string data_root = {};
  std::filesystem::path config_file = {};  // that the configuration was read from; empty: none that could be replaced
  bool resume = false;                     // go on from the newest checkpoint of the folder, if it has one
  const Checkpoint* from = nullptr;        // else begin here, see Run::fork
  std::function<void(std::string_view)> on_warning = {};
  std::function<bool()> wait = {};  // for another process that uses the folder, see FolderLock
};

// Makes the folder and locks it. Refuses one that another process uses, and one that holds a run already unless it is
// to be resumed. `wait` is as in FolderLock. Rank 0 does so for all ranks; the others wait, and get no lock.
std::optional<OutputFolder> open_run_folder(const RunFolder& folder, bool resume,
                                            const std::function<bool()>& wait = {}, Ranks& ranks = one_rank());

// What the configuration leaves open as the run in the folder has decided it, so that it resumes with other versions,
// too.
Config as_in_folder(const Config& config, const RunFolder& folder, Ranks& ranks = one_rank());

// Continues a run from a checkpoint of its folder, which is the last one from then on: a run that was killed while it
// replaced its last checkpoint, after its last step, has nothing left to train and would never store another one.
void resume_run(Run& run, const RunFolder& folder, const Checkpoint& checkpoint);

// Takes a run that has just been built to where it starts, and stores its configuration in the folder, a fork also its
// first checkpoint, so that it can be resumed from then on. Refuses a folder without a run that has a config.toml which
// is no run's.
void begin_run(Run& run, const RunFolder& folder, const StartParams& params);

// All of it, on the data that the configuration names. The run keeps the lock of its folder. Refuses a folder in which
// the run would replace these data, or the file of its configuration.
std::unique_ptr<Run> start_run(const Config& config, const RunFolder& folder, const StartParams& params,
                               Threads& threads, Ranks& ranks = one_rank());

// A sentence where the strategy of the configuration would start after the last step; else nothing.
std::optional<std::string> idle_strategy(const Config& config);

}  // namespace firn::study
