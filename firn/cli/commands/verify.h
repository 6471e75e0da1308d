// `firn verify`: are two circuits the same?
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn {

std::unique_ptr<Command> make_verify();

}  // namespace firn
