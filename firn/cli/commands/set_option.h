// The option --set KEY=VALUE, which every command that reads a configuration has.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "firn/cli/config.h"

namespace firn {

class SetOption {
 public:
  void add_to(CLI::App& app) {
    app.add_option("--set", texts_, "Set one key of the configuration; may be repeated")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
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
