// What kinds and categories of columns are called, in model files and where people read.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "firn/data/cells.h"
#include "firn/data/schema.h"

namespace firn::data {

inline constexpr std::array<std::string_view, 3> kColumnKinds = {"numeric", "categorical", "ignored"};

constexpr std::string_view kind_name(ColumnKind kind) {
  return kColumnKinds[static_cast<std::size_t>(kind)];
}

// Files write a missing value in different ways; the category that stands for it has one name.
inline std::string_view category_name(std::string_view category) {
  return is_missing(category) ? "(missing)" : category;
}

}  // namespace firn::data
