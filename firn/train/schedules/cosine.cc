// Half a cosine from the full rate in the first step to the floor in the last (Loshchilov and Hutter, 2017, without
// restarts).
#include <cmath>
#include <numbers>

#include "firn/train/schedule.h"

namespace firn::training {

double cosine_schedule(const ScheduleSettings& settings, const ScheduleTime& time) {
  return std::lerp(settings.floor, 1.0, (1 + std::cos(std::numbers::pi * time.fraction())) / 2);
}

}  // namespace firn::training
