#include "firn/data/sources/csv.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/data/files.h"

namespace firn::data {
namespace {

char find_separator(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  for (char separator : {',', ';', '\t'})
    if (line.find(separator) != std::string_view::npos) return separator;
  return ',';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// Walks through the bytes once and appends row after row to a table.
class CsvReader {
 public:
  CsvReader(std::string_view bytes, FieldTable& table)
      : bytes_(bytes), table_(table), separator_(find_separator(bytes)) {}

  void read() {
    while (at_ < bytes_.size()) {
      const std::size_t line = line_;
      row_.clear();
      read_row();
      const bool blank = row_.size() == 1 && row_[0].empty();
      if (!blank) append_row(table_, row_, line);
    }
  }

 private:
  void read_row() {
    for (;;) {
      row_.push_back(starts_with_quote() ? quoted_field() : plain_field());
      if (at_ >= bytes_.size()) return;
      if (bytes_[at_++] == '\n') {
        ++line_;
        return;
      }
    }
  }

  bool ends_field(char c) const { return c == separator_ || c == '\n'; }

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
  std::vector<std::string_view> row_;
};

bool only_word_of_its_column(const FieldTable& table, std::size_t column) {
  if (table.at(0, column).empty() || is_number(table.at(0, column))) return false;
  for (std::size_t r = 1; r < table.rows(); ++r)
    if (!is_number(table.at(r, column))) return false;
  return true;
}

bool comes_again(const FieldTable& table, std::size_t column) {
  for (std::size_t r = 1; r < table.rows(); ++r)
    if (table.at(r, column) == table.at(0, column)) return true;
  return false;
}

bool has_header(const FieldTable& table, const std::string& label_column) {
  if (table.rows() < 2) return false;
  bool all_unique_words = true;
  for (std::size_t c = 0; c < table.columns; ++c) {
    const bool word = !is_number(table.at(0, c));
    if (word && table.at(0, c) == label_column) return true;
    if (only_word_of_its_column(table, c)) return true;
    all_unique_words = all_unique_words && word && !comes_again(table, c);
  }
  return all_unique_words;
}

void drop_first_row(FieldTable& table) {
  table.fields.erase(table.fields.begin(), table.fields.begin() + static_cast<std::ptrdiff_t>(table.columns));
  table.lines.erase(table.lines.begin());
}

// The test file repeats the training file's header or has none.
void drop_repeated_header(FieldTable& test, const std::vector<std::string>& header) {
  if (test.rows() == 0 || test.columns != header.size()) return;
  for (std::size_t c = 0; c < test.columns; ++c)
    if (test.at(0, c) != header[c]) return;
  drop_first_row(test);
}

}  // namespace

FieldTable parse_csv(std::string_view bytes, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  FieldTable table;
  table.name = name;
  CsvReader(bytes, table).read();
  return table;
}

void take_header(FieldTable& table, const std::string& label_column) {
  if (!has_header(table, label_column)) return;
  for (std::size_t c = 0; c < table.columns; ++c) table.header.emplace_back(table.at(0, c));
  drop_first_row(table);
}

Dataset load_csv(const DataSettings& settings) {
  constexpr std::string_view kAdvice = "check data.file and data.test_file";
  if (settings.file.empty()) throw Error("the source csv needs a file; set data.file");
  const std::string train_path = find_input(settings.file, settings.root).string();
  const std::string train_bytes = read_text(train_path, kAdvice);
  FieldTable train = parse_csv(train_bytes, train_path), test;
  take_header(train, settings.label_column);
  std::string test_bytes;
  if (!settings.test_file.empty()) {
    const std::string test_path = find_input(settings.test_file, settings.root).string();
    test_bytes = read_text(test_path, kAdvice);
    test = parse_csv(test_bytes, test_path);
    drop_repeated_header(test, train.header);
  }
  Dataset dataset = dataset_from_tables(train, test, {.label_column = settings.label_column});
  dataset.name = std::filesystem::path(train_path).stem().string();
  return dataset;
}

}  // namespace firn::data
