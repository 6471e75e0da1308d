// `firn info`: what a configuration or checkpoint holds, before anything runs.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_info();

}  // namespace firn::cli
