// `firn check`: are files and folders still what was written?
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_check();

}  // namespace firn::cli
