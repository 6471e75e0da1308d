// Comma-separated values with a label column: bring your own data.
#pragma once

#include <string>
#include <string_view>

#include "firn/data/columns.h"
#include "firn/data/dataset.h"
#include "firn/data/settings.h"

namespace firn::data {

// Fields are separated by commas, or where the first line has none by semicolons or tabs; "quoted" fields may hold
// separators, line ends and doubled quotes. Blank lines and spaces around fields do not count. The table points into
// `bytes` and has no header yet.
FieldTable parse_csv(std::string_view bytes, const std::string& name);

// Makes the first row the header if it is one: a field equals `label_column`, or some column has words only there, or
// every field is a word that does not come again in its column.
void take_header(FieldTable& table, const std::string& label_column);

// settings.file for training and settings.test_file, which may be empty; the label is the last column unless
// settings.label_column says otherwise.
Dataset load_csv(const DataSettings& settings);

}  // namespace firn::data
