// Finds the configuration that a user names: a file, or a preset.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "firn/study/config_text.h"

namespace firn::study {

// The configuration in the file of that name or, where there is none, the preset.
Config load_named_config(const std::string& name, std::span<const Override> overrides = {},
                         const Parts& parts = standard_parts());

// A preset is part of the library; its text is that of the file in configs/.
struct Preset {
  std::string_view name, text;
};
std::span<const Preset> presets();
const Preset& preset_from_name(std::string_view name);

}  // namespace firn::study
