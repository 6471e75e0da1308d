// How a run gets going in its folder: fresh, resumed where it stopped, or forked from a checkpoint of another run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "firn/study/config_text.h"
#include "firn/study/run.h"

namespace firn::study {

struct StartParams {
  std::string data_root = {};
  bool resume = false;               // go on from the newest checkpoint of the folder, if it has one
  const Checkpoint* from = nullptr;  // else begin here, see Run::fork
  std::function<void(std::string_view)> on_warning = {};
};

// Makes the folder. Refuses one that holds a run already, unless it is to be resumed.
void make_run_folder(const RunFolder& folder, bool resume);

// Takes a run that has just been built to where it starts, and stores its configuration in the folder, a fork also its
// first checkpoint, so that it can be resumed from then on.
void begin_run(Run& run, const RunFolder& folder, const StartParams& params);

// All of it, on the data that the configuration names.
std::unique_ptr<Run> start_run(const Config& config, const RunFolder& folder, const StartParams& params,
                               Threads& threads);

// A sentence where the strategy of the configuration would start after the last step; else nothing.
std::optional<std::string> idle_strategy(const Config& config);

}  // namespace firn::study
