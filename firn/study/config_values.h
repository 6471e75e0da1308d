// Configurations compared by what they say, key by key: comments, order, and keys left at their defaults do not count.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/study/config_text.h"

namespace firn::study {

// Every key of a configuration with its value, in the order in which to_toml() writes them.
std::vector<KeyValue> values_of(const Config& config);

// The first key in which two configurations differ, with both values as TOML writes them.
struct ConfigDifference {
  std::string key, first, second;
};
std::optional<ConfigDifference> first_difference(const Config& first, const Config& second);

// The same for a text that some version of Firn has stored. A key or a value in it that this version does not know
// is a difference.
std::optional<ConfigDifference> first_difference(const StoredConfig& stored, const Config& config);

// A name for what a configuration says, the same as long as the values that are not defaults stay the same.
std::string fingerprint(const Config& config);

}  // namespace firn::study
