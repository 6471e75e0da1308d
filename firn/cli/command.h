// Commands: what `firn NAME ...` does. One interface, one line in the table for each.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "firn/cli/options.h"

namespace firn::cli {

// Exit codes. A bug in Firn shares its code with the outside world; its sentence begins with "internal error".
inline constexpr int kDone = 0, kCheckFailed = 1, kUsage = 2, kOutsideWorld = 3, kInternal = 3;

class Command {
 public:
  virtual ~Command() = default;
  virtual void add_options(Options& options) = 0;  // which keep references to members
  virtual int run() = 0;                           // prints to standard output; returns the exit code
};

struct CommandEntry {
  std::string_view name;               // what users type, such as "data show"
  std::string_view group;              // heading in the help of the level above
  std::string_view summary;            // one line
  std::string_view details;            // end of the help: more lines and examples; may be empty
  std::unique_ptr<Command> (*make)();  // null for a word that only gathers commands, which then come after it
};

std::span<const CommandEntry> command_table();

}  // namespace firn::cli
