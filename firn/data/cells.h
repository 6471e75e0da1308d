// Single cells of a table: which are numbers, which are missing, and which look like numbers but are not.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "firn/base/rooms.h"

namespace firn::data {

// A decimal number with a point, as C and Python write it, that fits a float. No hexadecimal, no infinity, no NaN.
std::optional<double> number_in(std::string_view cell);

// An empty cell, or what spreadsheets, R and Python write instead: ?, NA, N/A, NaN, NULL, None.
bool is_missing(std::string_view cell);

// Not a number, but hardly a word: 3,14 and 1,234.5 and 0x1F and 1e999 and inf and 7%.
bool looks_like_number(std::string_view cell);

// A cell in quotes for a message: printable, and cut where it is long.
std::string quote_cell(std::string_view cell);

// Orders cells as people do: numbers by value, then words by letter.
struct CellOrder {
  bool operator()(std::string_view a, std::string_view b) const;
};

}  // namespace firn::data
