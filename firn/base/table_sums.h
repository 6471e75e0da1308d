// Checksums of the tables in a folder, in a file beside them.
//
// A table is CSV or JSON lines that other programs read, so it cannot carry a checksum itself; and it grows. The file
// says for each table how many of its first bytes are covered, and their checksum. It is always true, whenever a
// process dies: a table that grows is on the disk before more of it is covered, and less of it is covered before it is
// cut.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "firn/base/checksum.h"

namespace firn {

struct TableSum {
  std::uint64_t bytes = 0;  // from the start of the table
  std::string digits;

  friend bool operator==(const TableSum&, const TableSum&) = default;
};

class TableSums {
 public:
  static constexpr const char* kFile = "checksums.json";

  // Reads what the folder has; an Error where that is damaged.
  explicit TableSums(std::filesystem::path folder);

  const std::map<std::string, TableSum>& all() const { return sums_; }
  // An Error that names the table where its text is not what was covered.
  void check(const std::string& table, std::string_view text) const;

  void cover(const std::string& table);  // all of it, as it is in the folder
  void cover_less(const std::string& table, std::string_view text, std::uint64_t bytes);  // the first bytes only
  void forget(const std::string& table);
  void store() const;  // what cover() and forget() have changed

 private:
  // What has been read of a growing table, so that nothing is read twice, and damage to it is not covered up.
  struct Growing {
    std::uint64_t bytes = 0;
    Checksum checksum;
  };

  std::filesystem::path folder_;
  std::map<std::string, TableSum> sums_;
  std::map<std::string, std::unique_ptr<Growing>> growing_;
};

// The text of a table, checked as far as it is covered. The table may be growing meanwhile.
std::string read_checked_table(const std::filesystem::path& file);

// Writes tables that are complete: they are uncovered while they change.
void write_covered_tables(const std::filesystem::path& folder, const std::map<std::string, std::string>& text_by_name);

}  // namespace firn
