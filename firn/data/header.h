// Does the first row of a table hold the names of its columns? Decided on unmixed evidence, or left to the user.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "firn/data/field_table.h"

namespace firn::data {

// It does if it holds one of the names that the user wrote, `label_column` or one of `declared`. Otherwise words that
// stand above numbers, and words that occur nowhere else in a column whose values repeat, speak for names; numbers,
// what starts like one, and words that occur again in their column speak for values. An Error that names data.header
// refuses a row that has some of both, and one that just numbers the columns. The label is the last column unless
// `label_column` is the number of another.
bool first_row_is_header(const FieldTable& table, const std::string& label_column,
                         std::span<const std::string> declared = {});

// Does the first row number the columns, 0 to 5 or 1 to 6? Programs write such a header where columns have no names,
// and nothing tells it from a row of numbers.
bool first_row_numbers_columns(const FieldTable& table);

}  // namespace firn::data
