#include "firn/base/left_behind.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "firn/base/file.h"
#include "firn/base/same_file.h"

namespace firn {

namespace {

constexpr std::string_view kEnding = ".tmp";

// .NAME.N.tmp
bool is_temporary_name(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(kEnding)) return false;
  name.remove_suffix(kEnding.size());
  const std::size_t digits = name.size() - 1 - name.find_last_not_of("0123456789");
  return digits > 0 && digits + 2 < name.size() && name[name.size() - digits - 1] == '.';
}

// Locked where nobody else has locked it; closed otherwise.
FileHandle lock_of_dead(const std::filesystem::path& path) {
  FileHandle file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.is_open() && (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 || !is_still_there(file.get(), path)))
    file.close();
  return file;
}

}  // namespace

std::vector<std::filesystem::path> left_behind(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing))
    if (is_temporary_name(entry.path().filename().string()) && lock_of_dead(entry.path()).is_open())
      found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

void remove_left_behind(const std::filesystem::path& folder) {
  for (const std::filesystem::path& path : left_behind(folder)) {
    const FileHandle lock = lock_of_dead(path);  // a process that has taken it over meanwhile keeps it
    if (lock.is_open()) ::unlink(path.c_str());
  }
}

}  // namespace firn
