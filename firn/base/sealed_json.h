// JSON files that carry a checksum of themselves, as two members of the object: "format" and "checksum".
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "firn/base/rooms.h"

namespace firn {

// The text of an object with the name of its format and a checksum over all of the text.
std::string seal_json(nlohmann::json object, std::string_view format);

// The object of a text that seal_json() has made, without its two members; an Error where a single bit is another one.
// `source` is what messages call the text, usually a path, and `advice` is what to do about damage. A text without both
// members is one that was written before there were checksums, and is taken as it is.
nlohmann::json open_sealed_json(std::string_view text, const std::string& source, std::string_view advice);

bool is_sealed_json(std::string_view text);

}  // namespace firn
