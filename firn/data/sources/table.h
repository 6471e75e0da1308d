// Tables whose fields are separated by blanks, such as those of the MONK's problems.
#pragma once

#include <string>
#include <string_view>

#include "firn/data/dataset.h"
#include "firn/data/field_table.h"
#include "firn/data/settings.h"

namespace firn::data {

// One row per line, without a header; blank lines do not count. The table points into `bytes`.
FieldTable parse_table(std::string_view bytes, const std::string& name);

// settings.file for training and settings.test_file, which may be empty. The label is the first column unless
// settings.label_column says otherwise; a last column of words that never repeat is an id and left out; columns of at
// most 16 different integers are categories.
Dataset load_table(const DataSettings& settings);

}  // namespace firn::data
