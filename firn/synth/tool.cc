#include "firn/synth/tool.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "firn/base/process.h"

namespace firn::synth {

bool is_installed(const Tool& tool) {
  return find_program(std::string(tool.program)).has_value();
}

std::optional<std::string> version_of(const Tool& tool) {
  if (!is_installed(tool)) return std::nullopt;
  std::vector<std::string> command = {std::string(tool.program)};
  for (std::string_view argument : tool.version)
    if (!argument.empty()) command.emplace_back(argument);
  constexpr double kSeconds = 30;
  const std::string said = run_program(command, ".", {.seconds = kSeconds}).output;
  return said.substr(0, said.find('\n'));
}

std::string absence(const Tool& tool) {
  return fmt::format("{} is not installed (Debian package {})", tool.program, tool.package);
}

bool has_liberty() {
  return std::filesystem::exists(kLiberty);
}

std::string liberty_absence() {
  return fmt::format("{} is not there (Debian package {})", kLiberty, kLibertyPackage);
}

}  // namespace firn::synth
