// `firn diagnose`: what freezing would do, before doing it.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_diagnose();

}  // namespace firn::cli
