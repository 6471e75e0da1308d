// CSV files: header, columns and one-hot features, with the same bytes as training and as test part.
#include "firn/data/columns.h"
#include "firn/data/header.h"
#include "firn/data/sources/csv.h"
#include "fuzz/run_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
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
