// Configurations as text: TOML in, typed settings out, and back to text with every default written down.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/key_table.h"
#include "firn/study/config.h"

namespace firn::study {

// A key that is set by hand; it wins over the file.
struct Override {
  std::string key;     // dotted
  std::string value;   // read as TOML if possible, else taken as a string
  std::string origin;  // what messages about it begin with: a place in a file, or what the user typed
};

// Every key of the configuration, bound to `config`.
KeyTable describe(Config& config);

// Reads TOML text. Mistakes in it are Errors that begin with NAME:LINE:COLUMN, mistakes in overrides ArgumentErrors.
Config parse_config(std::string_view text, std::string_view name, std::span<const Override> overrides = {},
                    const Parts& parts = standard_parts());

// The same for text that some version of Firn has stored, in which a key that is missing has the value of its time.
Config parse_stored_config(std::string_view text, std::string_view name, std::span<const Override> overrides = {},
                           const Parts& parts = standard_parts());

Config load_config(const std::filesystem::path& file, std::span<const Override> overrides = {},
                   const Parts& parts = standard_parts());

// A key and its value as TOML writes it.
struct KeyValue {
  std::string key, value;
  friend bool operator==(const KeyValue&, const KeyValue&) = default;
};

// A configuration that some version of Firn has stored, as far as this one understands it.
struct StoredConfig {
  Config config;
  std::vector<KeyValue> foreign;  // what it says with keys or values that this version does not know
};
StoredConfig read_stored_config(std::string_view text, std::string_view name, const Parts& parts = standard_parts());

using firn::to_toml;  // of single values
// The whole configuration as TOML, documented; parse_config() gives back an equal one.
std::string to_toml(const Config& config);

}  // namespace firn::study
