// `firn sweep`: a grid of runs and the table that compares them.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_sweep();

}  // namespace firn::cli
