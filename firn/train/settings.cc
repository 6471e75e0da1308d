#include "firn/train/settings.h"

#include <fmt/core.h>

#include "firn/base/error.h"

namespace firn::training {

void check_settings(const TrainSettings& settings) {
  check_settings(settings.optimizer);
  const ScheduleSettings& schedule = settings.schedule;
  schedule_from_name(schedule.name);
  if (schedule.warmup >= settings.steps)
    throw Error(fmt::format("train.warmup = {} leaves nothing of train.steps = {}; choose a shorter warm-up",
                            schedule.warmup, settings.steps));
  if (schedule.step_every == 0) throw Error("train.step_every = 0 is no distance between two falls; choose at least 1");
  if (!settings.teacher.file.empty() && settings.loss != "cross-entropy")
    throw Error(fmt::format("a teacher needs the loss \"cross-entropy\", but train.loss is \"{}\"", settings.loss));
  if (settings.shard == 0 || settings.shard % 16 != 0)
    throw Error(fmt::format("train.shard = {} is not a multiple of 16; choose 16 or 32", settings.shard));
}

}  // namespace firn::training
