// What is allowed in a configuration but hardly meant: keys without effect, thresholds that repeat, and the like.
#pragma once

#include <string>
#include <vector>

#include "firn/study/config.h"
#include "firn/train/experiment.h"

namespace firn::study {

// A sentence for each. What only data and network can show is included where the experiment is given.
std::vector<std::string> warnings_about(const Config& config);
std::vector<std::string> warnings_about(const Config& config, const Experiment& experiment);

}  // namespace firn::study
