// The family of schedules: the learning rate of a step as a pure function of the step, so that there is nothing to
// store and a resumed run goes on exactly.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace firn::training {

struct ScheduleSettings {
  std::string name = "constant";     // in schedules()
  std::uint64_t warmup = 0;          // steps at the beginning in which the rate rises to its full height
  double floor = 0;                  // fraction of the full rate where a falling schedule ends
  std::uint64_t step_every = 10000;  // of "step": steps between two falls,
  double step_factor = 0.1;          // and what is left after one
};

// Where a step is in the part of the run that follows the warm-up.
struct ScheduleTime {
  std::uint64_t step;  // 0 for the first step
  std::uint64_t last;  // number of the last one

  double fraction() const {  // 0 in the first step, 1 in the last and whatever follows it
    return step < last ? static_cast<double>(step) / static_cast<double>(last) : last > 0 ? 1 : 0;
  }
};

struct ScheduleEntry {
  std::string_view name;
  std::string_view summary;
  bool spans_run;  // depends on the number of steps of the run, which therefore cannot be made longer
  double (*factor)(const ScheduleSettings&, const ScheduleTime&);  // of the full rate, after the warm-up
};

std::span<const ScheduleEntry> schedules();
const ScheduleEntry& schedule_from_name(std::string_view name);

// The rate of step `step` (1..steps) where `full` is the configured one. In the warm-up of W steps it is full * step /
// W.
double scheduled_rate(const ScheduleSettings& settings, double full, std::uint64_t step, std::uint64_t steps);

// One line each in the table.
double constant_schedule(const ScheduleSettings& settings, const ScheduleTime& time);
double cosine_schedule(const ScheduleSettings& settings, const ScheduleTime& time);
double linear_schedule(const ScheduleSettings& settings, const ScheduleTime& time);
double step_schedule(const ScheduleSettings& settings, const ScheduleTime& time);

}  // namespace firn::training
