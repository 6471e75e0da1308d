#include "firn/cli/commands/config.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/set_option.h"
#include "firn/study/config_text.h"
#include "firn/study/layer_list.h"
#include "firn/study/preset.h"

namespace firn::cli {
namespace {

class ConfigShow final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("FILE", file_, "Configuration in TOML, or the name of a preset").required().type_name("");
    sets_.add_to(options);
    options.add_flag("--layers", layers_, "Write the layers of the model family out as a list that can be edited");
    data_root_.add_to(options);
  }
  int run() override {
    const Config config = load_named_config(file_, sets_.overrides());
    fmt::print("{}", to_toml(layers_ ? with_listed_layers(config, data_root_.resolve()) : config));
    return kDone;
  }

 private:
  std::string file_;
  bool layers_ = false;
  SetOption sets_;
  DataRootOption data_root_;
};

void print_layer_kinds(const LayerKinds& kinds) {
  fmt::print("\n[[model.layer]]  One layer of a list; each has a kind and, if you like, a name.\n");
  for (const LayerKind& kind : kinds) {
    fmt::print("\n  {}: {}\n", kind.name, kind.summary);
    const auto settings = kind.make();
    KeyTable keys;
    keys.section("", "");
    settings->declare(keys);
    for (const Key& key : keys.sections().front().keys)
      fmt::print("    {}: {} Must be {}.\n", key.name, key.doc, key.expected);
  }
}

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
    print_layer_kinds(config.parts->layer_kinds);
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

}  // namespace firn::cli
