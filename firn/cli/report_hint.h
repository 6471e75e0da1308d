// The command that draws a folder, for commands that have just filled one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace firn::cli {

// "Draw it: firn report runs/a -o runs/a/report.html", ready to be pasted into a shell.
std::string report_hint(const std::filesystem::path& folder);

// A word as a shell takes it back: in quotes where it holds anything but plain characters.
std::string shell_word(std::string_view text);

}  // namespace firn::cli
