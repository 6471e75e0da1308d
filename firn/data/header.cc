#include "firn/data/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_set>

#include "firn/base/error.h"
#include "firn/data/cells.h"

namespace firn::data {
namespace {

constexpr std::string_view kWayOut = "set data.header to \"present\" if it holds the names, else to \"absent\"";

bool is_written(std::string_view cell, const std::string& label_column, std::span<const std::string> declared) {
  if (cell.empty() || number_in(cell)) return false;  // a number says where a column is, not what it is called
  return cell == label_column || std::ranges::find(declared, cell) != declared.end();
}

std::size_t label_position(const FieldTable& table, const std::string& label_column) {
  std::ptrdiff_t index = -1;
  const char* end = label_column.data() + label_column.size();
  const auto parsed = std::from_chars(label_column.data(), end, index);
  const auto columns = static_cast<std::ptrdiff_t>(table.columns);
  if (parsed.ec != std::errc() || parsed.ptr != end || index < -columns || index >= columns) index = -1;
  return static_cast<std::size_t>(index < 0 ? index + columns : index);
}

// Numbers, damaged ones such as 12abc, and the words for missing values are hardly names.
bool is_hardly_a_name(std::string_view cell) {
  if (is_missing(cell) || number_in(cell) || looks_like_number(cell)) return true;
  const std::size_t start = cell.find_first_not_of("+-.");
  return start != std::string_view::npos && cell[start] >= '0' && cell[start] <= '9';
}

bool has_numbers_below(const FieldTable& table, std::size_t column) {
  bool numbers = false;
  for (std::size_t r = 1; r < table.rows(); ++r) {
    if (is_missing(table.at(r, column))) continue;
    if (!number_in(table.at(r, column))) return false;
    numbers = true;
  }
  return numbers;
}

bool comes_again(const FieldTable& table, std::size_t column) {
  for (std::size_t r = 1; r < table.rows(); ++r)
    if (table.at(r, column) == table.at(0, column)) return true;
  return false;
}

// Occurs nowhere else, although the values below occur twice or more on average.
bool stands_out(const FieldTable& table, std::size_t column) {
  if (comes_again(table, column)) return false;
  std::unordered_set<std::string_view> values;
  for (std::size_t r = 1; r < table.rows(); ++r) values.insert(table.at(r, column));
  return 2 * values.size() <= table.rows() - 1;
}

bool whole_row_comes_again(const FieldTable& table) {
  const auto first = std::span(table.fields).subspan(0, table.columns);
  for (std::size_t r = 1; r < table.rows(); ++r)
    if (std::ranges::equal(first, std::span(table.fields).subspan(r * table.columns, table.columns))) return true;
  return false;
}

bool numbers_columns(const FieldTable& table) {
  for (const std::size_t first : {0, 1}) {
    std::size_t alike = 0;
    while (alike < table.columns && table.at(0, alike) == std::to_string(first + alike)) ++alike;
    if (alike == table.columns) return true;
  }
  return false;
}

// What speaks for names and what for values: the first reason of each kind, for the message.
struct Reasons {
  std::string names = {}, values = {};
};

Reasons weigh(const FieldTable& table, std::size_t label) {
  Reasons reasons;
  const auto note = [&](std::string& reason, std::size_t column, std::string_view why) {
    if (reason.empty()) reason = fmt::format("{} {}", quote_cell(table.at(0, column)), why);
  };
  std::size_t outstanding = 0, last = 0;
  for (std::size_t c = 0; c < table.columns; ++c) {
    const std::string_view cell = table.at(0, c);
    if (cell.empty()) continue;  // a column without a name, or without a value
    const bool is_name = !is_hardly_a_name(cell);
    if (!is_name) note(reasons.values, c, "is hardly a name");
    if (!number_in(cell) && !is_missing(cell) && has_numbers_below(table, c)) {
      note(reasons.names, c, "stands above numbers");
    } else if (is_name && comes_again(table, c)) {
      note(reasons.values, c, "occurs again in its column");
    } else if ((is_name || (c == label && !is_missing(cell))) && stands_out(table, c)) {
      if (c == label) note(reasons.names, c, "occurs nowhere else in its column");
      outstanding += is_name;
      last = c;
    }
  }
  // A rare word proves nothing; a row of them does.
  if (2 * outstanding >= table.columns) note(reasons.names, last, "occurs nowhere else in its column");
  return reasons;
}

}  // namespace

bool first_row_is_header(const FieldTable& table, const std::string& label_column,
                         std::span<const std::string> declared) {
  if (table.rows() < 2) return false;
  for (std::size_t c = 0; c < table.columns; ++c)
    if (is_written(table.at(0, c), label_column, declared)) return true;
  const Reasons reasons = weigh(table, label_position(table, label_column));
  if (!reasons.names.empty() && !reasons.values.empty())
    throw Error(fmt::format("{}, line {}: the first row could hold names, because {}, or values, because {}; {}",
                            table.name, table.lines[0], reasons.names, reasons.values, kWayOut));
  if (first_row_numbers_columns(table) ||
      (table.columns > 1 && numbers_columns(table) && !whole_row_comes_again(table)))
    throw Error(fmt::format("{}, line {}: the first row numbers the columns; {}", table.name, table.lines[0], kWayOut));
  // Without any reason: words that do not come again, above words that do not repeat either.
  return reasons.values.empty();
}

bool first_row_numbers_columns(const FieldTable& table) {
  constexpr std::size_t kFewest = 4;  // fewer may well be a row
  return table.rows() >= 2 && table.columns >= kFewest && numbers_columns(table);
}

}  // namespace firn::data
