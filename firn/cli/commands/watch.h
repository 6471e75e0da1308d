// `firn watch`: the report of a run while it goes on, served to this machine alone.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_watch();

}  // namespace firn::cli
