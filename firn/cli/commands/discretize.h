// `firn discretize`: freezes every neuron of a checkpoint by a rule.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_discretize();

}  // namespace firn::cli
