// Says in the terminal what TaskFreeze sees at a checkpoint.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "firn/study/diagnose_shocks.h"

namespace firn::cli {

std::string report_of(const ShockDiagnosis& diagnosis);

// From the part "shocks" of a spread_of() over seeds.
std::string shocks_of_seeds(const nlohmann::json& shocks);

}  // namespace firn::cli
