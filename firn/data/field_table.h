// A rectangular table of text fields as a file holds it, before anything knows what its columns mean.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/rooms.h"

namespace firn::data {

// Fields point into the bytes that were parsed, or into `unquoted`.
struct FieldTable {
  std::string name;                 // of the file, for messages
  std::vector<std::string> header;  // column names; empty: the file has none
  std::size_t columns = 0;
  std::vector<std::string_view> fields;  // [row][column]
  std::vector<std::size_t> lines;        // [row], the line of the file in which the row starts, from 1
  std::deque<std::string> unquoted;      // fields whose text differs from the file's

  std::size_t rows() const { return lines.size(); }
  std::string_view at(std::size_t row, std::size_t column) const { return fields[row * columns + column]; }
  // The name in the header, or "column 3", counted from 0.
  std::string column_name(std::size_t column) const;
  // The same for a message: column 'age', or column 3.
  std::string quoted_name(std::size_t column) const;
};

// Appends one row; refuses a row that has more or fewer fields than the rows before.
void append_row(FieldTable& table, const std::vector<std::string_view>& row, std::size_t line);

// Makes the first row the header. A column without a name is called by its number; two of one name are refused.
void make_first_row_header(FieldTable& table);

// Finds a column by its name, or by its number from 0 (negative: from the end); `key` is what the user set, for the
// message if there is none.
std::size_t find_column(const FieldTable& table, const std::string& wanted, std::string_view key);

}  // namespace firn::data
