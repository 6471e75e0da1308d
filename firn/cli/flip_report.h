// Says in the terminal what single-row flips would do to a discrete network.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "firn/study/diagnose_discrete.h"

namespace firn::cli {

std::string report_of(const DiscreteDiagnosis& diagnosis, std::string_view examples);

// From the part "discrete" of a spread_of() over seeds.
std::string flips_of_seeds(const nlohmann::json& discrete);

}  // namespace firn::cli
