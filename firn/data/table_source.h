// What the sources csv and table share: a training file, perhaps a test file, and a schema that the former decides.
#pragma once

#include <string>
#include <string_view>

#include "firn/data/columns.h"
#include "firn/data/dataset.h"
#include "firn/data/field_table.h"
#include "firn/data/settings.h"

namespace firn::data {

// How one of them differs from the other.
struct TableForm {
  std::string_view source;  // its name
  FieldTable (*parse)(std::string_view bytes, const std::string& name, std::string_view separator);
  bool (*has_header)(const FieldTable& table, const DataSettings& settings);  // where data.header is "auto"
  std::string separator;                                                      // what the schema remembers
  ColumnRules rules = {};                                                     // what no setting says
};

// settings.file for training and settings.test_file, which may be empty.
Dataset load_tables(const DataSettings& settings, const TableForm& form);

}  // namespace firn::data
