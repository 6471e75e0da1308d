#include "firn/data/field_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "firn/base/error.h"
#include "firn/base/printable.h"

namespace firn::data {
std::string FieldTable::column_name(std::size_t column) const {
  return header.empty() ? fmt::format("column {}", column) : header[column];
}

std::string FieldTable::quoted_name(std::size_t column) const {
  return header.empty() ? column_name(column) : fmt::format("column '{}'", header[column]);
}

void append_row(FieldTable& table, const std::vector<std::string_view>& row, std::size_t line) {
  if (table.columns == 0) table.columns = row.size();
  if (row.size() != table.columns)
    throw Error(fmt::format("{}, line {}: {} fields where the lines before have {}; make all rows equally long",
                            table.name, line, row.size(), table.columns));
  table.fields.insert(table.fields.end(), row.begin(), row.end());
  table.lines.push_back(line);
}

void make_first_row_header(FieldTable& table) {
  std::set<std::string> seen;
  for (std::size_t c = 0; c < table.columns; ++c) {
    std::string name = table.at(0, c).empty() ? fmt::format("column {}", c) : printable(table.at(0, c));
    if (!seen.insert(name).second)
      throw Error(fmt::format("{}, line {}: two columns are called '{}'; give each a name of its own", table.name,
                              table.lines[0], name));
    table.header.push_back(std::move(name));
  }
  table.fields.erase(table.fields.begin(), table.fields.begin() + static_cast<std::ptrdiff_t>(table.columns));
  table.lines.erase(table.lines.begin());
}

std::size_t find_column(const FieldTable& table, const std::string& wanted, std::string_view key) {
  const auto named = std::ranges::find(table.header, wanted);
  if (named != table.header.end()) return static_cast<std::size_t>(named - table.header.begin());
  if (table.header.empty())
    for (std::size_t c = 0; c < table.columns; ++c)
      if (wanted == table.column_name(c)) return c;
  std::ptrdiff_t index = 0;
  const char* end = wanted.data() + wanted.size();
  const auto parsed = std::from_chars(wanted.data(), end, index);
  const auto columns = static_cast<std::ptrdiff_t>(table.columns);
  if (parsed.ec != std::errc() || parsed.ptr != end || index < -columns || index >= columns)
    throw Error(
        fmt::format("{} has no column '{}' among its {} columns; set {} to a name in its header or a number "
                    "from 0",
                    table.name, wanted, table.columns, key));
  return static_cast<std::size_t>(index < 0 ? index + columns : index);
}

}  // namespace firn::data
