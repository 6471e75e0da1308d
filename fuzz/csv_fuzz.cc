// CSV files: header, columns and one-hot features, with the same bytes as training and as test part; and rows to
// predict, under the schema of another table.
#include "firn/data/columns.h"
#include "firn/data/header.h"
#include "firn/data/rows.h"
#include "firn/data/sources/csv.h"
#include "fuzz/run_target.h"

namespace {

using namespace firn;

// Numbers, names and missing values, with a label that is a class or a value.
const Dataset& known_table(bool label_is_value) {
  static const auto read = [](const ColumnRules& rules) {
    FieldTable table = parse_csv("width,colour,age,y\n1,red,3,0\n2,blue,,1\n3,green,5,1\n", "known");
    make_first_row_header(table);
    return dataset_from_tables(table, FieldTable(), rules);
  };
  static const Dataset classes = read({}), values = read({.predicts_values = true});
  return label_is_value ? values : classes;
}

void read_as_rows(std::string_view bytes, bool label_is_value, bool needs_labels, bool by_position) {
  const Dataset& known = known_table(label_is_value);
  const FieldTable table = parse_csv(bytes, "rows");
  const Examples rows = read_rows(table, {.schema = *known.schema,
                                          .class_names = known.class_names,
                                          .needs_labels = needs_labels,
                                          .by_position = by_position});
  FIRN_CHECK(rows.count() == table.rows() || rows.count() + 1 == table.rows());
  for (std::uint16_t label : rows.labels) FIRN_CHECK(label < known.classes || (label == kNoLabel && !needs_labels));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const bool label_is_value : {false, true})
    for (const bool needs_labels : {false, true})
      for (const bool by_position : {false, true})
        run_target(data, size,
                   [&](std::string_view bytes) { read_as_rows(bytes, label_is_value, needs_labels, by_position); });
  return run_target(data, size, [](std::string_view bytes) {
    FieldTable table = parse_csv(bytes, "fuzz");
    FIRN_CHECK(table.fields.size() == table.rows() * table.columns);
    if (first_row_is_header(table, "y")) make_first_row_header(table);
    const Dataset dataset = dataset_from_tables(table, table, {});
    FIRN_CHECK(dataset.train.count() == table.rows());
    FIRN_CHECK(parse_schema(to_json(*dataset.schema), "fuzz") == dataset.schema);
    for (std::uint16_t label : dataset.test.labels) FIRN_CHECK(label < dataset.classes);
  });
}
