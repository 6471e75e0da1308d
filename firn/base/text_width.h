// How many columns a UTF-8 text takes in a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "firn/base/rooms.h"

namespace firn {

// One column for each code point, none for combining marks: right for ±, · and the letters of Europe, not for the
// double-width letters of East Asia.
std::size_t text_width(std::string_view text);

// The text itself, or as much of its start as fits with an ellipsis at the end.
std::string fit_to_width(std::string_view text, std::size_t columns);

}  // namespace firn
