// `firn export`: a compiled model as a file that other tools read.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_export();

}  // namespace firn::cli
