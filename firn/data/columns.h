// From a table of text fields to labelled examples: which column is the label, and what the other columns become.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "firn/data/dataset.h"

namespace firn::data {

// A rectangular table as a file holds it, before anything knows what its columns mean. Fields point into the bytes
// that were parsed, or into `unquoted`.
struct FieldTable {
  std::string name;                 // of the file, for messages
  std::vector<std::string> header;  // column names; empty: the file has none
  std::size_t columns = 0;
  std::vector<std::string_view> fields;  // [row][column]
  std::vector<std::size_t> lines;        // [row], the line of the file in which the row starts, from 1
  std::deque<std::string> unquoted;      // fields whose text differs from the file's

  std::size_t rows() const { return lines.size(); }
  std::string_view at(std::size_t row, std::size_t column) const { return fields[row * columns + column]; }
};

struct ColumnRules {
  std::string label_column = {};  // a column's name, or its number from 0 (negative: from the end); empty: the default
  bool label_first = false;       // the default label column: the first or the last
  bool integers_are_names = false;  // columns of 3 to 16 different integers are categories, as in MONK's tables
  bool last_may_be_id = false;      // a last column of words that never repeat is left out
};

// Numeric columns become one feature each and must have a value in every row. All others are one-hot: a feature per
// value that occurs in either set, a missing value ("", "?", "NA", "NaN") counting as one more. Where every feature
// is 0 or 1 the examples are binary bytes, otherwise reals. Classes and categories are in ascending order. The test
// table may have no rows.
Dataset dataset_from_tables(const FieldTable& train, const FieldTable& test, const ColumnRules& rules);

bool is_number(std::string_view field);

// Appends one row; refuses a row that has more or fewer fields than the rows before.
void append_row(FieldTable& table, const std::vector<std::string_view>& row, std::size_t line);

}  // namespace firn::data
