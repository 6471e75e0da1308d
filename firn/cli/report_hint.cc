#include "firn/cli/report_hint.h"

#include <fmt/format.h>

#include <algorithm>

namespace firn::cli {

std::string shell_word(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+=,:@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string report_hint(const std::filesystem::path& folder) {
  return fmt::format("Draw it: firn report {} -o {}", shell_word(folder.string()),
                     shell_word((folder / "report.html").string()));
}

}  // namespace firn::cli
