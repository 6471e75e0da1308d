// A table read by a schema: columns are found by name, or by position where there is no header, and every cell must
// fit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/data/dataset.h"
#include "firn/data/field_table.h"
#include "firn/data/schema.h"

namespace firn::data {

inline constexpr std::uint16_t kNoLabel = 0xffff;  // of an example whose label nobody knows; no class has this number

struct RowRules {
  const Schema& schema;
  std::span<const std::string> class_names;
  bool needs_labels = false;  // else the label column may be missing, and so may its cells
  bool in_training = false;   // messages then also say how the configuration could be changed
  bool by_position = false;   // the table has no header, whatever the schema has
};

// Labels are empty where the table has no label column, and kNoLabel where a cell of it is empty. Where the schema says
// that it holds values, they are targets instead, and NaN where a cell is empty.
//
// Where the schema has names, the first row must hold at least one of them and is the header: columns may be in any
// order, the label and ignored columns may be left out, unknown ones are refused by name. A table that has its header
// already is matched by it. Position counts where the schema has no names or rules.by_position says so. The number of
// columns must then fit, with the label or without it; where some columns are ignored, all or only the features. A row
// without a single known category is then refused even if unknown ones are ignored.
Examples read_rows(FieldTable table, const RowRules& rules);

// "?" and the like are no classes.
bool is_missing_label(std::string_view cell);
[[noreturn]] void refuse_missing_label(const FieldTable& table, std::size_t row);

}  // namespace firn::data
