// The list data.columns: what users declare columns to be.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "firn/data/schema.h"

namespace firn::data {

struct DeclaredColumn {
  std::string name;  // or number
  ColumnKind kind = ColumnKind::kNumeric;
  std::vector<std::string> categories = {};  // may be empty: those that occur
};

// Entries are NAME:numeric, NAME:categorical, NAME:categorical(A|B|C) and NAME:ignore. A name may hold colons.
std::vector<DeclaredColumn> parse_column_list(std::span<const std::string> entries);

}  // namespace firn::data
