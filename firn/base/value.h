// Values of a configuration, between the text of a file and the members of a settings struct.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "firn/base/rooms.h"

namespace firn {

using Scalar = std::variant<bool, std::int64_t, double, std::string>;
using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<Scalar>>;

// A list of numbers, or a word that stands for one.
struct NumbersOrWord {
  std::vector<double> numbers = {};
  std::string word = {};

  bool empty() const { return numbers.empty() && word.empty(); }
  friend bool operator==(const NumbersOrWord&, const NumbersOrWord&) = default;
};

// The value as TOML writes it; reading it back gives the same value.
std::string to_toml(const Value& value);

// One part of a dotted key as TOML writes it: bare if possible, else quoted.
std::string to_toml_key(std::string_view part);

}  // namespace firn
