// Text from outside, made fit for terminals and files.
#pragma once

#include <string>
#include <string_view>

#include "firn/base/rooms.h"

namespace firn {

// Bytes that are no UTF-8, and control characters, become U+FFFD.
std::string printable(std::string_view text);

}  // namespace firn
