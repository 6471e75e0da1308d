// `firn verify`: are two circuits the same?
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_verify();

}  // namespace firn::cli
