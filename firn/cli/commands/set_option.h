// The option --set KEY=VALUE, which every command that reads a configuration has.
#pragma once

#include <string>
#include <vector>

#include "firn/cli/config.h"
#include "firn/cli/options.h"

namespace firn {

class SetOption {
 public:
  void add_to(Options& options) {
    options.add("--set", texts_, "Set one key of the configuration; may be repeated")
        .type_name("KEY=VALUE")
        .repeatable();
  }
  std::vector<Override> overrides() const {
    std::vector<Override> list;
    for (const std::string& text : texts_) list.push_back(parse_override(text));
    return list;
  }

 private:
  std::vector<std::string> texts_;
};

}  // namespace firn
