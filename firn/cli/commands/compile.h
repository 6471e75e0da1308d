// `firn compile`: a checkpoint becomes a circuit in a file that ships.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_compile();

}  // namespace firn::cli
