// Stairs: every so many steps the rate falls by a factor, but not below the floor. Knows nothing of the end of the run.
#include <algorithm>
#include <cmath>

#include "firn/train/schedule.h"

namespace firn::training {

double step_schedule(const ScheduleSettings& settings, const ScheduleTime& time) {
  const auto falls = static_cast<double>(time.step / settings.step_every);
  return std::max(settings.floor, std::pow(settings.step_factor, falls));
}

}  // namespace firn::training
