// The option --set KEY=VALUE, which every command that reads a configuration has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firn/cli/options.h"
#include "firn/study/config_text.h"

namespace firn::cli {

// Splits "KEY=VALUE"; throws UsageError if there is no key or no "=".
Override parse_override(std::string_view text);

class SetOption {
 public:
  void add_to(Options& options);
  std::vector<Override> overrides() const;

 private:
  std::vector<std::string> texts_;
};

}  // namespace firn::cli
