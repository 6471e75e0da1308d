#include "firn/report/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "firn/base/error.h"
#include "firn/base/table_sums.h"
#include "firn/data/sources/csv.h"

namespace firn::report {

TableFile::TableFile(const std::filesystem::path& path) : bytes_(read_checked_table(path)) {
  bytes_.resize(bytes_.rfind('\n') == std::string::npos ? 0 : bytes_.rfind('\n') + 1);
  table_ = parse_csv(bytes_, path.string());
  if (table_.rows() == 0) return;
  for (std::size_t c = 0; c < table_.columns; ++c) table_.header.emplace_back(table_.at(0, c));
  table_.fields.erase(table_.fields.begin(), table_.fields.begin() + static_cast<std::ptrdiff_t>(table_.columns));
  table_.lines.erase(table_.lines.begin());
}

std::size_t TableFile::column(std::string_view name) const {
  const auto found = std::ranges::find(table_.header, name);
  if (found == table_.header.end())
    throw Error(fmt::format("{} has no column \"{}\", so Firn did not write it; restore it, or move it away",
                            table_.name, name));
  return static_cast<std::size_t>(found - table_.header.begin());
}

double TableFile::number(std::size_t row, std::size_t column) const {
  const std::string_view field = text(row, column);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size()) refuse(row, column, "number");
  return value;
}

std::uint64_t TableFile::whole(std::size_t row, std::size_t column) const {
  const double value = number(row, column);
  if (!(value >= 0 && value <= 0x1p53 && value == std::floor(value))) refuse(row, column, "whole number");
  return static_cast<std::uint64_t>(value);
}

void TableFile::refuse(std::size_t row, std::size_t column, std::string_view expected) const {
  throw Error(fmt::format("{}, line {}: \"{}\" is not a {}; restore the file, or move it away", table_.name,
                          table_.lines[row], text(row, column), expected));
}

}  // namespace firn::report
