// The summary of a diagnosis as JSON, and summaries of several checkpoints and seeds taken together.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "firn/diagnose/diagnosis.h"

namespace firn::diagnose {

// Everything but the rows of single neurons. Layers are keys, so that summaries of different checkpoints line up.
nlohmann::json summary_of(const Diagnosis& diagnosis);

// Summaries number by number: means (a number that a summary lacks is left out of its mean), or mean, sample standard
// deviation and count. Intervals are dropped, because the mean of intervals is none.
nlohmann::json mean_of(const std::vector<nlohmann::json>& summaries);
nlohmann::json spread_of(const std::vector<nlohmann::json>& summaries);

}  // namespace firn::diagnose
