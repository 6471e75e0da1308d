#include "firn/base/same_file.h"

#include <sys/stat.h>

namespace firn {

bool is_still_there(int descriptor, const std::filesystem::path& file) {
  struct stat held {
  }, named{};
  return ::fstat(descriptor, &held) == 0 && ::stat(file.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

}  // namespace firn
