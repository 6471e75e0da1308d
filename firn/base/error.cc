#include "firn/base/error.h"

#include <fmt/format.h>

namespace firn {

void check_failed(const char* condition, const char* file, int line) {
  throw InternalError(
      fmt::format("internal error: {} does not hold ({}:{}); please report this", condition, file, line));
}

}  // namespace firn
