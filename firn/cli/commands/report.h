// `firn report`: folders of runs, sweeps and diagnoses as one page with figures.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_report();

}  // namespace firn::cli
