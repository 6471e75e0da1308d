// `firn eval`: risk and accuracy of a checkpoint.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_eval();

}  // namespace firn::cli
