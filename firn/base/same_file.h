// Is what a path names still the file that is open?
#pragma once

#include <filesystem>

#include "firn/base/rooms.h"

namespace firn {

// A file may be removed, renamed or replaced between opening and locking it; the lock is then on a file that nobody
// else will find.
bool is_still_there(int descriptor, const std::filesystem::path& file);

}  // namespace firn
