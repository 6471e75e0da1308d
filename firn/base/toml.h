// The TOML library, for texts from anywhere: nobody else includes it.
#pragma once

#include <cstddef>
#include <string_view>

#include "firn/base/rooms.h"

// Some malformed texts break the assertions of the library before they get their error, and a library must not end its
// host over a configuration. Values in values are read and taken apart recursively, so there is a limit to them.
#define TOML_ASSERT(expr) static_cast<void>(0)
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

namespace firn {

inline constexpr std::size_t kMostKeyParts = 32;  // of a dotted key

// Parses a document; mistakes are Errors that begin with NAME:LINE:COLUMN.
toml::table parse_toml(std::string_view text, std::string_view name);

}  // namespace firn
