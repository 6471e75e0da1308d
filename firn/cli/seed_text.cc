#include "firn/cli/seed_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace firn::cli {

std::string mean_and_deviation(const nlohmann::json& value, const char* style, double scale) {
  if (!value.is_object()) return "-";
  std::string text = fmt::format(fmt::runtime(style), scale * value["mean"].get<double>());
  if (value["sd"].is_number()) text += fmt::format(" ± {:.2g}", scale * value["sd"].get<double>());
  return text;
}

}  // namespace firn::cli
