// Finds the known name that a mistyped one was probably meant to be.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "firn/base/rooms.h"

namespace firn {

// Letters to insert, delete, replace or swap with their neighbour to turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known name with the smallest distance; nothing if even that is too far away to be a slip of the hand.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known);

// "; did you mean NAME?", or nothing if no known name is near.
std::string suggestion(std::string_view word, std::span<const std::string> known);

}  // namespace firn
