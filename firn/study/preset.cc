#include "firn/study/preset.h"

#include <fmt/format.h>

#include <filesystem>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/base/nearest.h"

namespace firn::study {

const Preset& preset_from_name(std::string_view name) {
  return entry_named(name, presets(), "preset");
}

namespace {

// Whoever names data wants a configuration for them.
void refuse_data(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  if (extension == ".csv" || extension == ".npy" || extension == ".npz")
    throw Error(fmt::format("{} holds data, not a configuration; `firn config init {}` writes one for it",
                            file.string(), file.string()));
}

}  // namespace

Config load_named_config(const std::string& name, std::span<const Override> overrides, const Parts& parts) {
  refuse_data(name);
  std::error_code missing;  // or too long to be the name of a file
  if (std::filesystem::exists(name, missing)) return load_config(name, overrides, parts);
  for (const Preset& preset : presets())
    if (preset.name == name) return parse_config(preset.text, fmt::format("preset {}", name), overrides, parts);
  const auto names = names_of(presets());
  const std::string near = suggestion(name, names);
  throw Error(fmt::format("there is no file \"{}\" and no preset of that name{}", name,
                          near.empty() ? fmt::format("; the presets are {}", fmt::join(names, ", ")) : near));
}

}  // namespace firn::study
