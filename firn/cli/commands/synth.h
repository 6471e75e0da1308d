// `firn synth`: what a compiled model costs in hardware, by the tools of others.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_synth();

}  // namespace firn::cli
