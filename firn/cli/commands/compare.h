// `firn compare`: what two runs differ in, and what each of them reached.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_compare();

}  // namespace firn::cli
