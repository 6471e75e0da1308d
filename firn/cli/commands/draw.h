// `firn draw`: pictures of a circuit as SVG.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_draw();

}  // namespace firn::cli
