// `firn play`: a compiled model as a page that runs it in the browser.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_play();

}  // namespace firn::cli
