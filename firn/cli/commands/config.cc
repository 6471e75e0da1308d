#include "firn/cli/commands/config.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "firn/cli/commands/set_option.h"
#include "firn/study/config_text.h"

namespace firn {
namespace {

class ConfigShow final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("FILE", file_, "Configuration in TOML").required().type_name("");
    sets_.add_to(options);
  }
  int run() override {
    fmt::print("{}", to_toml(load_config(file_, sets_.overrides())));
    return kDone;
  }

 private:
  std::string file_;
  SetOption sets_;
};

class ConfigKeys final : public Command {
 public:
  void add_options(Options&) override {}
  int run() override {
    Config config;
    const KeyTable table = describe(config);
    for (const Section& section : table.sections()) {
      if (!section.name.empty()) fmt::print("\n[{}]  {}\n", section.name, section.doc);
      for (const Key& key : section.keys)
        fmt::print("\n  {} = {}\n      {}\n      Must be {}.\n", key.name, to_toml(key.get()), key.doc, key.expected);
    }
    return kDone;
  }
};

}  // namespace

std::unique_ptr<Command> make_config_show() {
  return std::make_unique<ConfigShow>();
}

std::unique_ptr<Command> make_config_keys() {
  return std::make_unique<ConfigKeys>();
}

}  // namespace firn
