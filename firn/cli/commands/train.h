// `firn train`: the main job.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_train();

}  // namespace firn::cli
