// A CSV file that Firn has written, read back by the names of its columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "firn/data/columns.h"

namespace firn::report {

class TableFile {
 public:
  // A last row that is still being written does not count. An Error where the table was damaged since it was written.
  explicit TableFile(const std::filesystem::path& path);

  std::size_t rows() const { return table_.rows(); }
  const std::vector<std::string>& columns() const { return table_.header; }

  std::size_t column(std::string_view name) const;  // an Error where there is none
  std::string_view text(std::size_t row, std::size_t column) const { return table_.at(row, column); }
  double number(std::size_t row, std::size_t column) const;        // an Error that names the line where it is none
  std::uint64_t whole(std::size_t row, std::size_t column) const;  // the same, from 0 to 2^53: exact as a double, too

 private:
  [[noreturn]] void refuse(std::size_t row, std::size_t column, std::string_view expected) const;

  std::string bytes_;  // the table points into it
  FieldTable table_;
};

}  // namespace firn::report
