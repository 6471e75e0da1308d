#include "firn/kernels/target.h"

#include <hwy/targets.h>

#include "firn/base/error.h"

namespace firn::kernels {

std::string active_target() {
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  FIRN_CHECK(usable != 0);
  return hwy::TargetName(usable & -usable);  // Highway numbers better targets lower
}

}  // namespace firn::kernels
