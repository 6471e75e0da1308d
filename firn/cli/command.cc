#include "firn/cli/command.h"

#include <array>

#include "firn/cli/commands/config.h"

namespace firn {
namespace {

constexpr const char* kConfigShowDetails =
    "Examples:\n"
    "  firn config show run.toml\n"
    "  firn config show run.toml --set encode.thresholds=7 --set name=wide > wide.toml\n";

constexpr std::array kCommands = {
    CommandEntry{"config", "Configurations", "Show configurations and document their keys", "", nullptr},
    CommandEntry{"config show", "Commands", "Print a configuration with every default as TOML", kConfigShowDetails,
                 make_config_show},
    CommandEntry{"config keys", "Commands", "List every key with its default, its meaning and what it accepts", "",
                 make_config_keys},
};

}  // namespace

std::span<const CommandEntry> command_table() {
  return kCommands;
}

}  // namespace firn
