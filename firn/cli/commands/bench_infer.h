// `firn bench infer`: how fast a compiled model runs.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_bench_infer();

}  // namespace firn::cli
