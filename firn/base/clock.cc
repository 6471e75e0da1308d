#include "firn/base/clock.h"

#include <chrono>

namespace firn {

double seconds_since_start_of_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace firn
