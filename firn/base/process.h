// Runs another program and waits for it; no shell is involved, so arguments mean only themselves.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/rooms.h"

namespace firn {

// How long a program may run. One with limits gets a process group of its own, which is killed as a whole: no program
// that it started outlives it, and signals from the terminal no longer reach it by themselves.
struct ProgramLimits {
  double seconds = 0;                    // 0: as long as it takes
  std::function<bool()> may_go_on = {};  // asked about ten times per second; empty: always
};

struct ProgramResult {
  enum class End { kExited, kTimedOut, kStopped };
  int exit_code = 0;   // 127: there is no such program; 128 and the signal that killed it
  std::string output;  // what it wrote to standard output and standard error, without trailing line ends
  End end = End::kExited;
};

// The program is looked up on the PATH unless its name has a slash, runs in `folder` and reads nothing.
// `environment` are variables as in "TMPDIR=/tmp" that it gets besides our own.
ProgramResult run_program(const std::vector<std::string>& command, const std::filesystem::path& folder,
                          const ProgramLimits& limits = {}, const std::vector<std::string>& environment = {});

// Where on the PATH a program is; nothing where it is not installed.
std::optional<std::filesystem::path> find_program(const std::string& name);

}  // namespace firn
