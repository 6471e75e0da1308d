// Says a diagnosis in the terminal: tables with small plots, for one checkpoint or for many taken together.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "firn/study/diagnose_checkpoint.h"

namespace firn::cli {

std::string report_of(const Diagnosis& diagnosis);
std::string report_of(const std::vector<CheckedLayer>& checked);

// The main numbers of a spread_of() over seeds.
std::string report_of_seeds(const nlohmann::json& spread);

}  // namespace firn::cli
