// Runs another program and waits for it; no shell is involved, so arguments mean only themselves.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "firn/base/rooms.h"

namespace firn {

struct ProgramResult {
  int exit_code = 0;   // 127: there is no such program
  std::string output;  // what it wrote to standard output and standard error, without trailing line ends
};

// The program is looked up on the PATH unless its name has a slash, runs in `folder` and reads nothing.
ProgramResult run_program(const std::vector<std::string>& command, const std::filesystem::path& folder);

}  // namespace firn
