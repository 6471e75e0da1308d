// Prints a diagnosis in the terminal: tables with small plots, for one checkpoint or for many taken together.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "firn/study/diagnose_checkpoint.h"

namespace firn::cli {

// Everything that was measured, each table followed by what it means.
std::string report_of(const CheckpointDiagnosis& own);

// The main numbers of a spread_of() over seeds.
std::string report_of_seeds(const nlohmann::json& spread);

}  // namespace firn::cli
