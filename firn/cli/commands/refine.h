// `firn refine`: changes gates of a checkpoint by their exact effect on the loss.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_refine();

}  // namespace firn::cli
