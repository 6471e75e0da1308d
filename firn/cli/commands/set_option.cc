#include "firn/cli/commands/set_option.h"

#include <fmt/format.h>

#include "firn/cli/usage_error.h"

namespace firn::cli {

Override parse_override(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw UsageError(fmt::format("--set {}: write KEY=VALUE, such as --set data.source=mnist", text));
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)), fmt::format("--set {}", text)};
}

void SetOption::add_to(Options& options) {
  options.add("--set", texts_, "Set one key of the configuration; may be repeated").type_name("KEY=VALUE").repeatable();
}

std::vector<Override> SetOption::overrides() const {
  std::vector<Override> list;
  for (const std::string& text : texts_) list.push_back(parse_override(text));
  return list;
}

}  // namespace firn::cli
