// Comma-separated values with a label column: bring your own data.
#pragma once

#include <string>
#include <string_view>

#include "firn/data/dataset.h"
#include "firn/data/field_table.h"
#include "firn/data/settings.h"

namespace firn::data {

// Fields are separated by commas, semicolons or tabs, whichever the first line holds outside quotes; `separator`
// ("," ";" or "\t") decides where it holds more than one of them. "Quoted" fields may hold separators, line ends and
// doubled quotes. Lines end with LF, CRLF or CR. Blank lines and spaces around fields do not count. The table points
// into `bytes` and has no header yet. `advice` is what the user can do where the separator is unclear.
FieldTable parse_csv(std::string_view bytes, const std::string& name, std::string_view separator = "",
                     std::string_view advice = "quote the fields, or set data.separator");

// settings.file for training and settings.test_file, which may be empty; the label is the last column unless
// settings.label_column says otherwise.
Dataset load_csv(const DataSettings& settings);

}  // namespace firn::data
