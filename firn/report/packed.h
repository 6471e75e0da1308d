// Numbers as pages carry them: deflated, then base64, which is as small as text in a page gets.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "firn/base/rooms.h"

namespace firn::report {

std::string packed(std::span<const std::uint8_t> bytes);
// The four bytes of each number in planes, all lowest bytes first: most upper planes are then zero and cost nothing.
std::string packed(std::span<const std::uint32_t> numbers);
std::string packed(std::span<const float> numbers);

}  // namespace firn::report
