// `firn config`: shows a configuration with every default, documents all keys, and writes a first configuration.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_config_show();
std::unique_ptr<Command> make_config_keys();
std::unique_ptr<Command> make_config_init();

}  // namespace firn::cli
