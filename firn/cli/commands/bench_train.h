// `firn bench train`: how long a training step takes.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_bench_train();

}  // namespace firn::cli
