// What people call a folder: the last part of its path, also where it was given as "." or with a slash at the end.
#pragma once

#include <filesystem>
#include <string>

#include "firn/base/rooms.h"

namespace firn {

inline std::string folder_name(const std::filesystem::path& folder) {
  return std::filesystem::weakly_canonical(folder).filename().string();
}

}  // namespace firn
