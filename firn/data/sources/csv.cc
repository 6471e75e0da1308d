#include "firn/data/sources/csv.h"

#include <fmt/format.h>

#include <vector>

#include "firn/base/error.h"
#include "firn/data/column_list.h"
#include "firn/data/header.h"
#include "firn/data/table_source.h"
#include "firn/data/table_text.h"

namespace firn::data {
namespace {

// The first line with a q for every quoted part.
std::string unquoted_first_line(std::string_view bytes) {
  std::string line;
  bool quoted = false;
  for (const char c : bytes) {
    if (c == '"') {
      quoted = !quoted;
      line += 'q';
      continue;
    }
    if (quoted) continue;
    if ((c == '\n' || c == '\r') && !line.empty()) break;
    if (c != '\n' && c != '\r') line += c;
  }
  return line;
}

// Tabs beside another separator only pad a field.
bool is_in(char separator, const std::string& line) {
  if (separator != '\t') return line.find(separator) != std::string::npos;
  const auto is_field = [&](std::size_t i) { return i != std::string::npos && line[i] != ',' && line[i] != ';'; };
  // Blank by blank, not tab by tab: the first line may be a megabyte of tabs.
  for (std::size_t at = line.find('\t'), after; at != std::string::npos; at = line.find('\t', after)) {
    const std::size_t before = line.find_last_not_of(" \t", at);
    after = line.find_first_not_of(" \t", at);
    if (is_field(before) && is_field(after)) return true;
    if (after == std::string::npos) return false;
  }
  return false;
}

char find_separator(std::string_view bytes, const std::string& name, std::string_view wanted, std::string_view advice) {
  if (!wanted.empty()) return wanted == "tab" ? '\t' : wanted.front();
  const std::string line = unquoted_first_line(bytes);
  char found = '\0';
  for (const char separator : {',', ';', '\t'}) {
    if (!is_in(separator, line)) continue;
    if (found != '\0')
      throw Error(fmt::format("{}, line 1: fields could be separated by {} or by {}; {}", name,
                              found == ',' ? "commas" : "semicolons", separator == ';' ? "semicolons" : "tabs",
                              advice));
    found = separator;
  }
  return found == '\0' ? ',' : found;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Walks through the bytes once and appends row after row to a table.
class CsvReader {
 public:
  CsvReader(std::string_view bytes, char separator, FieldTable& table)
      : bytes_(bytes), table_(table), separator_(separator) {}

  void read() {
    while (at_ < bytes_.size()) {
      const std::size_t line = line_;
      row_.clear();
      read_row();
      const bool blank = row_.size() == 1 && row_[0].empty();
      if (blank) {
        if (table_.columns == 1 && blank_line_ == 0) blank_line_ = line;
        continue;
      }
      append_row(table_, row_, line);
      if (blank_line_ != 0)
        throw Error(
            fmt::format("{}, line {}: a blank line in a table of one column could be a missing value; write NA, "
                        "or remove the line",
                        table_.name, blank_line_));
    }
  }

 private:
  void read_row() {
    for (;;) {
      row_.push_back(starts_with_quote() ? quoted_field() : plain_field());
      if (at_ >= bytes_.size()) return;
      if (bytes_[at_++] == separator_) continue;
      if (bytes_[at_ - 1] == '\r' && at_ < bytes_.size() && bytes_[at_] == '\n') ++at_;
      ++line_;
      return;
    }
  }

  bool ends_field(char c) const { return c == separator_ || c == '\n' || c == '\r'; }

  bool starts_with_quote() const {
    std::size_t at = at_;
    while (at < bytes_.size() && bytes_[at] == ' ') ++at;
    return at < bytes_.size() && bytes_[at] == '"';
  }

  std::string_view plain_field() {
    const std::size_t start = at_;
    while (at_ < bytes_.size() && !ends_field(bytes_[at_])) ++at_;
    return trim(bytes_.substr(start, at_ - start));
  }

  std::string_view quoted_field() {
    const std::size_t line = line_;
    at_ = bytes_.find('"', at_) + 1;
    const std::size_t start = at_;
    bool doubled = false;
    for (;; ++at_) {
      if (at_ >= bytes_.size())
        throw Error(
            fmt::format("{}, line {}: a quoted field is never closed; add the missing quote", table_.name, line));
      if (bytes_[at_] == '\n') ++line_;
      if (bytes_[at_] != '"') continue;
      if (at_ + 1 >= bytes_.size() || bytes_[at_ + 1] != '"') break;
      doubled = true;
      ++at_;
    }
    const std::string_view inside = bytes_.substr(start, at_ - start);
    ++at_;
    if (!plain_field().empty())
      throw Error(fmt::format("{}, line {}: text follows a closing quote; double the quotes inside the field",
                              table_.name, line_));
    return doubled ? without_doubled_quotes(inside) : inside;
  }

  std::string_view without_doubled_quotes(std::string_view inside) {
    std::string& text = table_.unquoted.emplace_back();
    for (std::size_t i = 0; i < inside.size(); ++i) {
      text += inside[i];
      if (inside[i] == '"') ++i;
    }
    return text;
  }

  std::string_view bytes_;
  FieldTable& table_;
  char separator_;
  std::size_t at_ = 0, line_ = 1;
  std::size_t blank_line_ = 0;  // in a table of one column; 0: none
  std::vector<std::string_view> row_;
};

bool has_header(const FieldTable& table, const DataSettings& settings) {
  std::vector<std::string> declared;
  for (const DeclaredColumn& column : parse_column_list(settings.columns)) declared.push_back(column.name);
  return first_row_is_header(table, settings.label_column, declared);
}

FieldTable parse(std::string_view bytes, const std::string& name, std::string_view separator) {
  return parse_csv(bytes, name, separator);
}

}  // namespace

FieldTable parse_csv(std::string_view bytes, const std::string& name, std::string_view separator,
                     std::string_view advice) {
  FieldTable table;
  table.name = name;
  bytes = checked_text(bytes, name);
  CsvReader(bytes, find_separator(bytes, name, separator, advice), table).read();
  return table;
}

Dataset load_csv(const DataSettings& settings) {
  return load_tables(settings,
                     {.source = "csv", .parse = parse, .has_header = has_header, .separator = settings.separator});
}

}  // namespace firn::data
