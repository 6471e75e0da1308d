#include "firn/data/table_source.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "firn/base/error.h"
#include "firn/data/files.h"
#include "firn/data/table_text.h"

namespace firn::data {

Dataset load_tables(const DataSettings& settings, const TableForm& form) {
  if (settings.file.empty()) throw Error(fmt::format("the source {} needs a file; set data.file", form.source));
  std::string train_bytes, test_bytes;  // the tables point into them
  const auto read = [&](const std::string& file, std::string& bytes) {
    const std::string path = find_input(file, settings.root).string();
    bytes = read_table_bytes(path, "check data.file and data.test_file");
    FieldTable table = form.parse(bytes, path, settings.separator);
    if (table.rows() == 0) throw Error(fmt::format("{} is empty; check data.file and data.test_file", path));
    return table;
  };
  FieldTable train = read(settings.file, train_bytes), test;
  const std::string name = std::filesystem::path(train.name).stem().string();
  if (settings.header == "present" || (settings.header == "auto" && form.has_header(train, settings)))
    make_first_row_header(train);
  if (!settings.test_file.empty()) test = read(settings.test_file, test_bytes);

  ColumnRules rules = form.rules;
  rules.label_column = settings.label_column;
  rules.columns = settings.columns;
  rules.missing = settings.missing;
  rules.ignore_unknown = settings.unknown == "ignore";
  rules.predicts_values = settings.task == "regression";
  Dataset dataset = dataset_from_tables(std::move(train), std::move(test), rules);
  dataset.schema->separator = form.separator;
  dataset.name = name;
  return dataset;
}

}  // namespace firn::data
