// Lines of long work on standard output, which outlives its reader.
#pragma once

#include <string_view>

namespace firn::cli {

// Prints a line at once. When nobody reads any more (`firn train ... | head`), this and all later output goes nowhere.
// Needs an InterruptGuard, or the closed pipe ends the program.
void print_line(std::string_view line);

}  // namespace firn::cli
