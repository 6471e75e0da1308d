// How a run gets going in its folder: fresh, resumed where it stopped, or forked from a checkpoint of another run.
#pragma once

#include <functional>
#include <memory>
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

// Builds the run and stores its configuration in the folder, a fork also its first checkpoint, so that it can be
// resumed from then on. Refuses a folder that holds a run already, unless it is to be resumed.
std::unique_ptr<Run> start_run(const Config& config, const RunFolder& folder, const StartParams& params,
                               Threads& threads);

}  // namespace firn::study
