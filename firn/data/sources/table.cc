#include "firn/data/sources/table.h"

#include <filesystem>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/data/files.h"

namespace firn::data {

FieldTable parse_table(std::string_view bytes, const std::string& name) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  FieldTable table;
  table.name = name;
  std::vector<std::string_view> row;
  for (std::size_t line = 1; !bytes.empty(); ++line) {
    std::string_view rest = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(rest.size() + 1, bytes.size()));
    row.clear();
    for (;;) {
      const std::size_t start = rest.find_first_not_of(kBlanks);
      if (start == std::string_view::npos) break;
      rest.remove_prefix(start);
      row.push_back(rest.substr(0, rest.find_first_of(kBlanks)));
      rest.remove_prefix(row.back().size());
    }
    if (!row.empty()) append_row(table, row, line);
  }
  return table;
}

Dataset load_table(const DataSettings& settings) {
  constexpr std::string_view kAdvice = "check data.file and data.test_file";
  if (settings.file.empty()) throw Error("the source table needs a file; set data.file");
  const std::string train_path = find_input(settings.file, settings.root).string();
  const std::string train_bytes = read_text(train_path, kAdvice);
  const FieldTable train = parse_table(train_bytes, train_path);
  std::string test_bytes;
  FieldTable test;
  if (!settings.test_file.empty()) {
    const std::string test_path = find_input(settings.test_file, settings.root).string();
    test_bytes = read_text(test_path, kAdvice);
    test = parse_table(test_bytes, test_path);
  }
  Dataset dataset = dataset_from_tables(
      train, test,
      {.label_column = settings.label_column, .label_first = true, .integers_are_names = true, .last_may_be_id = true});
  dataset.name = std::filesystem::path(train_path).stem().string();
  return dataset;
}

}  // namespace firn::data
