// `firn predict`: what a compiled model says about data.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_predict();

}  // namespace firn::cli
