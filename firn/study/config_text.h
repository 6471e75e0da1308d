// Configurations as text: TOML in, typed settings out, and back to text with every default written down.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "firn/base/error.h"
#include "firn/base/key_table.h"
#include "firn/study/config.h"

namespace firn {

// A key that is set by hand; it wins over the file.
struct Override {
  std::string key;     // dotted
  std::string value;   // read as TOML if possible, else taken as a string
  std::string origin;  // what messages about it begin with: a place in a file, or what the user typed
};

// An override is wrong, and not the text it was to change.
class OverrideError : public Error {
 public:
  using Error::Error;
};

// Every key of the configuration, bound to `config`.
KeyTable describe(Config& config);

// Reads TOML text. Mistakes in it are Errors that begin with NAME:LINE:COLUMN, mistakes in overrides OverrideErrors.
Config parse_config(std::string_view text, std::string_view name, std::span<const Override> overrides = {});

Config load_config(const std::filesystem::path& file, std::span<const Override> overrides = {});

// The whole configuration as TOML, documented; parse_config() gives back an equal one.
std::string to_toml(const Config& config);

}  // namespace firn
