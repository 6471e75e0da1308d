#include "firn/base/error.h"

#include <cstdio>
#include <cstdlib>

namespace firn {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "firn: internal check failed: %s (%s:%d); please report this\n", condition, file, line);
  std::abort();
}

}  // namespace firn
