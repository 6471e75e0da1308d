#include "firn/train/settings.h"

#include <fmt/core.h>

#include "firn/base/error.h"

namespace firn {

void check_settings(const TrainSettings& settings) {
  check_settings(settings.optimizer);
  if (settings.shard == 0 || settings.shard % 16 != 0)
    throw Error(fmt::format("train.shard = {} is not a multiple of 16; choose 16 or 32", settings.shard));
}

}  // namespace firn
