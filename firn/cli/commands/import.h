// `firn import`: a circuit that another tool has changed, back into a model.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_import();

}  // namespace firn::cli
