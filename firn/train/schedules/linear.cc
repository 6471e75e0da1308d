// A straight line from the full rate in the first step to the floor in the last.
#include <cmath>

#include "firn/train/schedule.h"

namespace firn::training {

double linear_schedule(const ScheduleSettings& settings, const ScheduleTime& time) {
  return std::lerp(1.0, settings.floor, time.fraction());
}

}  // namespace firn::training
