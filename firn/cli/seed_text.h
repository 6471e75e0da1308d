// Numbers over seeds, as tables in the terminal show them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace firn::cli {

// "+0.583 ± 0.081" from an entry of spread_of(), times `scale`; a single seed has no deviation. `style` formats the
// mean.
std::string mean_and_deviation(const nlohmann::json& value, const char* style, double scale = 1);

}  // namespace firn::cli
