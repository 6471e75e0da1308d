// The full rate in every step.
#include "firn/train/schedule.h"

namespace firn::training {

double constant_schedule(const ScheduleSettings&, const ScheduleTime&) {
  return 1;
}

}  // namespace firn::training
