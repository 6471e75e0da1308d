// Temporaries of files that were being written when their processes died.
//
// AtomicFile writes .NAME.N.tmp beside a file NAME and keeps it locked, by a lock of the kernel that dies with the
// process. One that nobody has locked any more is taken over by the next writer of the file, or removed here.
#pragma once

#include <filesystem>
#include <vector>

#include "firn/base/rooms.h"

namespace firn {

// In this folder alone, by name. None of a process that lives is among them.
std::vector<std::filesystem::path> left_behind(const std::filesystem::path& folder);
void remove_left_behind(const std::filesystem::path& folder);

}  // namespace firn
