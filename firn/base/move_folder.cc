#include "firn/base/move_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "firn/base/error.h"

namespace firn {

bool move_folder(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;  // what is wrong with it is said by the move
  std::filesystem::create_directories(to.parent_path(), error);
  if (::rename(from.c_str(), to.c_str()) == 0) return true;
  const int number = errno;
  if (number == ENOTEMPTY || number == EEXIST) return false;
  if (number == ENOENT && !std::filesystem::exists(from, error)) return false;
  throw Error(fmt::format("cannot move {} to {}: {}; check the permissions and the disk", from.string(), to.string(),
                          std::strerror(number)));
}

void remove_folder(const std::filesystem::path& folder, const std::filesystem::path& aside) {
  if (!move_folder(folder, aside)) return;
  std::error_code left;
  std::filesystem::remove_all(aside, left);
}

}  // namespace firn
