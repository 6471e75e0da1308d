// `firn theory`: the theorems about discretization as programs that anybody can run.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_theory_concentration();
std::unique_ptr<Command> make_theory_expectations();
std::unique_ptr<Command> make_theory_gaps();
std::unique_ptr<Command> make_theory_bounds();

}  // namespace firn::cli
