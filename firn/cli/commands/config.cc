#include "firn/cli/commands/config.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/nearest.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/set_option.h"
#include "firn/cli/usage_error.h"
#include "firn/study/config_text.h"
#include "firn/study/init_config.h"
#include "firn/study/layer_list.h"
#include "firn/study/output_file.h"
#include "firn/study/preset.h"
#include "firn/study/session.h"
#include "firn/study/settle.h"

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
    Config config = load_named_config(file_, sets_.overrides());
    if (known_sample_shape(config.data)) config = settle(std::move(config), data_root_.resolve());  // reads nothing
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
  void add_options(Options& options) override {
    options.add("PREFIX", prefix_, "Only keys that begin like this, such as freeze or freeze.task").type_name("");
  }
  int run() override {
    Config config = open_config();
    const KeyTable table = describe(config);
    bool found = false;
    for (const Section& section : table.sections()) found = print(section, config) || found;
    if (matches("model.layer")) print_layer_kinds(config.parts->layer_kinds);
    if (!found && !matches("model.layer"))
      throw UsageError(fmt::format("no key begins with {}{}", prefix_, suggestion(prefix_, table.section_names())));
    return kDone;
  }

 private:
  bool matches(std::string_view key) const {
    return key.starts_with(prefix_) &&
           (prefix_.empty() || prefix_.back() == '.' || key.size() == prefix_.size() || key[prefix_.size()] == '.');
  }

  bool print(const Section& section, const Config& config) const {
    bool found = false;
    for (const Key& key : section.keys) {
      if (!matches(key.name)) continue;
      if (!found && !section.name.empty()) fmt::print("\n[{}]  {}\n", section.name, section.doc);
      found = true;
      const bool is_open = std::ranges::find(config.open, key.name) != config.open.end();
      fmt::print("\n  {} = {}\n      {}\n      Must be {}{}.\n", key.name, to_toml(key.get()), key.doc, key.expected,
                 is_open ? "; left to the data where model.family is \"auto\"" : "");
    }
    return found;
  }

  std::string prefix_;
};

class ConfigInit final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("DATA", params_.data, "CSV file, other table, .npy, .npz, or folder of PNG images")
        .required()
        .type_name("");
    options.add("--label", params_.label, "Label column: its name, or its number from 0").type_name("NAME");
    options.add("--test", params_.test_data, "Test set of the same kind").type_name("DATA");
    options.add("--layout", params_.layout, "Order of the axes of arrays of images: nchw or nhwc")
        .one_of({"auto", "nchw", "nhwc"})
        .type_name("NAME");
    options.add("-o,--output", output_, "Write the configuration to this file, which must not exist yet")
        .type_name("FILE");
    data_root_.add_to(options);
  }
  int run() override {
    if (!output_.empty() && std::filesystem::exists(output_) && !is_stream(output_))
      throw Error(fmt::format("{} exists already; choose another name, or remove it", output_));
    params_.data_root = data_root_.resolve();
    const std::string text = init_config(params_);
    if (output_.empty()) {
      fmt::print("{}", text);
    } else {
      write_file(output_, text);
      fmt::print("wrote {}\nNext: firn train {}\n", output_, output_);
    }
    return kDone;
  }

 private:
  InitParams params_;
  std::string output_;
  DataRootOption data_root_;
};

}  // namespace

std::unique_ptr<Command> make_config_show() {
  return std::make_unique<ConfigShow>();
}

std::unique_ptr<Command> make_config_keys() {
  return std::make_unique<ConfigKeys>();
}

std::unique_ptr<Command> make_config_init() {
  return std::make_unique<ConfigInit>();
}

}  // namespace firn::cli
