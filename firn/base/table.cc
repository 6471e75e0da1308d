#include "firn/base/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "firn/base/error.h"
#include "firn/base/printable.h"
#include "firn/base/text_width.h"

namespace firn {

namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

// Where the whole records at the start of `text` end. In CSV a line break within quotes does not end a record.
std::size_t end_of_whole_records(std::string_view text, bool quotes) {
  std::size_t end = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quotes && text[i] == '"') inside = !inside;
    if (text[i] == '\n' && !inside) end = i + 1;
  }
  return end;
}

// Opens an earlier file after `length` bytes or, without a length, after its last whole record.
AppendFile open_after_records(const std::filesystem::path& path, std::string_view text, bool quotes,
                              std::optional<std::uint64_t> length) {
  const std::uint64_t keep = length.value_or(end_of_whole_records(text, quotes));
  if (keep <= text.size() && end_of_whole_records(text.substr(0, keep), quotes) != keep)
    throw Error(
        fmt::format("cannot continue {}: no row ends at byte {}, so it is not the file of this run; restore it "
                    "or start a new one",
                    path.string(), keep));
  return {path, keep};
}

}  // namespace

std::string csv_row(const std::vector<std::string>& cells) {
  if (cells.size() == 1 && cells[0].empty()) return "\"\"\n";  // most readers skip an empty line
  std::string row;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (c > 0) row += ',';
    row += csv_cell(cells[c]);
  }
  return row + '\n';
}

CsvWriter CsvWriter::create(const std::filesystem::path& path, std::vector<std::string> columns) {
  FIRN_CHECK(!columns.empty());
  CsvWriter writer(AppendFile(path), columns.size());
  writer.add(columns);
  return writer;
}

CsvWriter CsvWriter::resume(const std::filesystem::path& path, std::vector<std::string> columns,
                            std::optional<std::uint64_t> length) {
  if (!length && !std::filesystem::exists(path)) return create(path, std::move(columns));
  const std::string text = read_text(path);
  const std::string header = csv_row(columns);
  // Cut off within its header, the file holds nothing yet.
  if (!length && header.starts_with(text)) return create(path, std::move(columns));
  if (!text.starts_with(header) || length.value_or(header.size()) < header.size())
    throw Error(fmt::format("cannot continue {}: its columns are not {}; move it away or start a new file",
                            path.string(), header.substr(0, header.size() - 1)));
  return {open_after_records(path, text, /*quotes=*/true, length), columns.size()};
}

void CsvWriter::add(const std::vector<std::string>& cells) {
  FIRN_CHECK(cells.size() == columns_);
  file_.append(csv_row(cells));
}

CsvText::CsvText(const std::vector<std::string>& columns) : text_(csv_row(columns)), columns_(columns.size()) {
  FIRN_CHECK(!columns.empty());
}

void CsvText::add(const std::vector<std::string>& cells) {
  FIRN_CHECK(cells.size() == columns_);
  text_ += csv_row(cells);
}

JsonLines JsonLines::create(const std::filesystem::path& path) {
  return JsonLines(AppendFile(path));
}

JsonLines JsonLines::resume(const std::filesystem::path& path, std::optional<std::uint64_t> length) {
  if (!length && !std::filesystem::exists(path)) return create(path);
  return JsonLines(open_after_records(path, read_text(path), /*quotes=*/false, length));
}

void JsonLines::add(const nlohmann::json& object) {
  FIRN_CHECK(object.is_object());
  // Text from outside may not be UTF-8; a replaced letter is better than a lost line.
  file_.append(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
}

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.title = printable(column.title);
}

void TextTable::add(std::vector<std::string> cells) {
  FIRN_CHECK(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::str() const {
  std::vector<std::size_t> widths;  // [column]
  std::vector<std::string> titles, rules;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = text_width(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, text_width(row[c]));
    widths.push_back(width);
    titles.push_back(columns_[c].title);
    std::string rule;
    for (std::size_t i = 0; i < width; ++i) rule += "─";
    rules.push_back(rule);
  }

  std::string text;
  const auto append_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string padding(widths[c] - text_width(cells[c]), ' ');
      if (c > 0) line += "  ";
      line += columns_[c].align == Align::kLeft ? cells[c] + padding : padding + cells[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  append_line(titles);
  append_line(rules);
  for (const auto& row : rows_) append_line(row);
  return text;
}

}  // namespace firn
