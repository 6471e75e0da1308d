#include "firn/api/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/study/config_text.h"
#include "firn/study/init_config.h"
#include "firn/study/preset.h"

namespace firn::api {

Config::Config() : Config(study::Config{}) {}

Config::Config(study::Config config) : inner_(std::make_shared<const study::Config>(std::move(config))) {}

Config Config::preset(std::string_view name) {
  const study::Preset& preset = study::preset_from_name(name);
  return Config(study::parse_config(preset.text, fmt::format("preset {}", preset.name)));
}

std::vector<std::string> Config::preset_names() {
  return names_of(study::presets());
}

Config Config::from_toml(std::string_view text) {
  return Config(study::parse_config(text, "configuration"));
}

Config Config::load(const std::string& file) {
  return Config(study::load_config(file));
}

Config Config::named(const std::string& file_or_preset) {
  study::Config config = study::load_named_config(file_or_preset);
  if (config.name.empty()) config.name = std::filesystem::path(file_or_preset).stem().string();
  return Config(std::move(config));
}

std::string Config::suggest_toml(const std::string& data, const SuggestOptions& options) {
  return study::init_config({.data = data,
                             .test_data = options.test_data,
                             .label = options.label,
                             .layout = options.layout,
                             .data_root = options.data_folder});
}

Config Config::suggest(const std::string& data, const SuggestOptions& options) {
  return from_toml(suggest_toml(data, options));
}

Config& Config::set(std::span<const std::pair<std::string, std::string>> values) {
  std::vector<study::Override> overrides;
  for (const auto& [key, value] : values) overrides.push_back({key, value, fmt::format("{} = {}", key, value)});
  *this = Config(study::parse_config(to_toml(), "configuration", overrides, *inner_->parts));
  return *this;
}

Config& Config::set(std::string_view key, std::string_view value) {
  const std::pair<std::string, std::string> one(key, value);
  return set({&one, 1});
}

std::string Config::get(std::string_view key) const {
  study::Config copy = *inner_;
  const KeyTable keys = study::describe(copy);
  const Key* found = keys.find(key);
  if (found == nullptr) throw Error(fmt::format("there is no key \"{}\"", key));
  const bool is_open = std::ranges::find(copy.open, key) != copy.open.end();
  return is_open ? firn::to_toml(Value(std::string("auto"))) : firn::to_toml(found->get());
}

std::string Config::to_toml() const {
  return study::to_toml(*inner_);
}

}  // namespace firn::api
