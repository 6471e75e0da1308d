// JSON from files and other programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "firn/base/rooms.h"

namespace firn {

inline constexpr int kDeepestJson = 64;

// The value, or a discarded one where the text is not JSON or nests deeper than that: the library parses anything in a
// loop, but copies, compares and writes values recursively, as do those who walk through them.
nlohmann::json parse_json(std::string_view text);

}  // namespace firn
