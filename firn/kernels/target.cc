#include "firn/kernels/target.h"

#include <fmt/format.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include "firn/base/error.h"

namespace firn::kernels {

namespace {

// The baseline may be one that Highway does not report, because every machine can run it. To ask Highway what there is
// makes it go back to the best target for a moment, even where that was disabled.
std::int64_t usable() {
  const std::int64_t supported = hwy::SupportedTargets();
  hwy::GetChosenTarget().Update(supported);
  return (supported & HWY_TARGETS) | HWY_STATIC_TARGET;
}

}  // namespace

std::string active_target() {
  return hwy::TargetName(usable() & -usable());  // Highway numbers better targets lower
}

std::vector<std::string> usable_targets() {
  std::vector<std::string> names;
  for (std::int64_t rest = usable(); rest != 0; rest &= rest - 1) names.emplace_back(hwy::TargetName(rest & -rest));
  return names;
}

void choose_target(std::string_view name) {
  for (std::int64_t rest = usable(); rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    if (name != hwy::TargetName(target)) continue;
    hwy::DisableTargets(~target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return;
  }
  throw Error(fmt::format("this processor and this build of Firn have no SIMD target \"{}\"; choose {}", name,
                          fmt::join(usable_targets(), ", ")));
}

}  // namespace firn::kernels
