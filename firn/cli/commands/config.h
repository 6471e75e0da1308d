// `firn config`: shows a configuration with every default, and documents all keys.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_config_show();
std::unique_ptr<Command> make_config_keys();

}  // namespace firn::cli
