// Text from outside, made fit for terminals and files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "firn/base/rooms.h"

namespace firn {

// Bytes that are no UTF-8, and control characters, become U+FFFD.
std::string printable(std::string_view text);
// The same, but line breaks stay.
std::string printable_lines(std::string_view text);

// Where the first byte is that belongs to no UTF-8 character; npos: there is none.
std::size_t first_broken_character(std::string_view text);

}  // namespace firn
