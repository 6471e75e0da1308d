// Runs a test once for every instruction set that was compiled in and that this machine has.
#pragma once

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdint>

namespace firn {

// Calls body(name of the target) with the kernels switched to each target in turn; afterwards the best one is back.
template <class Body>
void each_target(const Body& body) {
  struct Restore {
    ~Restore() { choose(0); }
    static void choose(std::int64_t target) {  // 0: whatever the machine has
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
  } restore;
  // The baseline may be one that Highway does not report, because every machine can run it.
  std::int64_t remaining = (hwy::SupportedTargets() & HWY_TARGETS) | HWY_STATIC_TARGET;
  while (remaining != 0) {
    const std::int64_t target = remaining & -remaining;
    remaining &= remaining - 1;
    restore.choose(target);
    body(hwy::TargetName(target));
  }
}

}  // namespace firn
