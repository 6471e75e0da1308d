// Tidy tables: CSV and JSON lines in files that a resumed run continues, and aligned text for terminals.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/file.h"

namespace firn {

// One row as CSV writes it, with its line break.
std::string csv_row(const std::vector<std::string>& cells);

// Rows of a CSV file with a header (RFC 4180 quoting, lines end in "\n"). Each row is in the file once add() returns.
class CsvWriter {
 public:
  static CsvWriter create(const std::filesystem::path& path, std::vector<std::string> columns);

  // Continues an earlier file of the same columns, or creates it. `length` is the length() at which the run was
  // stored: rows written after that are dropped, so that none is duplicated. Without it every whole row is kept;
  // a last row that was cut off is dropped in any case.
  static CsvWriter resume(const std::filesystem::path& path, std::vector<std::string> columns,
                          std::optional<std::uint64_t> length = std::nullopt);

  void add(const std::vector<std::string>& cells);  // one for each column
  void sync() { file_.sync(); }
  std::uint64_t length() const { return file_.length(); }

 private:
  CsvWriter(AppendFile file, std::size_t columns) : file_(std::move(file)), columns_(columns) {}

  AppendFile file_;
  std::size_t columns_;
};

// The same rows as text, for a table that is written whole.
class CsvText {
 public:
  explicit CsvText(const std::vector<std::string>& columns);

  void add(const std::vector<std::string>& cells);  // one for each column
  const std::string& str() const { return text_; }

 private:
  std::string text_;
  std::size_t columns_;
};

// One JSON object per line. Each line is in the file once add() returns.
class JsonLines {
 public:
  static JsonLines create(const std::filesystem::path& path);
  static JsonLines resume(const std::filesystem::path& path,
                          std::optional<std::uint64_t> length = std::nullopt);  // as CsvWriter::resume

  void add(const nlohmann::json& object);
  void sync() { file_.sync(); }
  std::uint64_t length() const { return file_.length(); }

 private:
  explicit JsonLines(AppendFile file) : file_(std::move(file)) {}

  AppendFile file_;
};

// A table for people. Columns are as wide as their widest cell and two spaces apart. Names from files are made
// printable.
class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns);

  void add(std::vector<std::string> cells);  // one for each column
  std::string str() const;                   // header, rule and rows; every line ends in "\n"

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace firn
