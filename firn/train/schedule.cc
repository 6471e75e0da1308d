#include "firn/train/schedule.h"

#include <fmt/format.h>

#include <vector>

#include "firn/base/error.h"

namespace firn::training {

std::span<const ScheduleEntry> schedules() {
  static constexpr ScheduleEntry kSchedules[] = {
      {"constant", "the full rate in every step", false, constant_schedule},
      {"cosine", "half a cosine from the full rate to the floor", true, cosine_schedule},
      {"linear", "a straight line from the full rate to the floor", true, linear_schedule},
      {"step", "falls by a factor every so many steps, down to the floor", false, step_schedule},
  };
  return kSchedules;
}

const ScheduleEntry& schedule_from_name(std::string_view name) {
  for (const ScheduleEntry& entry : schedules())
    if (entry.name == name) return entry;
  std::vector<std::string_view> names;
  for (const ScheduleEntry& entry : schedules()) names.push_back(entry.name);
  throw Error(fmt::format("there is no schedule \"{}\"; choose {}", name, fmt::join(names, ", ")));
}

double scheduled_rate(const ScheduleSettings& settings, double full, std::uint64_t step, std::uint64_t steps) {
  if (step <= settings.warmup) return full * (static_cast<double>(step) / static_cast<double>(settings.warmup));
  const std::uint64_t first = settings.warmup + 1, last = steps > first ? steps - first : 0;
  return full * schedule_from_name(settings.name).factor(settings, {step - first, last});
}

}  // namespace firn::training
