// What examples and classes are called where people read about them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "firn/base/shape.h"

namespace firn::study {

constexpr bool is_table(const Shape& shape) {
  return shape.height == 1 && shape.width == 1;
}
// Rows of a table, or images.
constexpr std::string_view examples_word(const Shape& sample) {
  return is_table(sample) ? "rows" : "images";
}
constexpr std::string_view example_word(const Shape& sample) {
  return is_table(sample) ? "row" : "image";
}

// The name of a class, or its number where classes have no names.
inline std::string class_name(std::span<const std::string> names, std::size_t number) {
  return number < names.size() ? names[number] : std::to_string(number);
}

}  // namespace firn::study
