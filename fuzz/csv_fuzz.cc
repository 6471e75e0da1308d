// CSV files: header, columns and one-hot features, with the same bytes as training and as test part.
#include "firn/data/sources/csv.h"
#include "fuzz/run_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    FieldTable table = parse_csv(bytes, "fuzz");
    FIRN_CHECK(table.fields.size() == table.rows() * table.columns);
    take_header(table, "y");
    const Dataset dataset = dataset_from_tables(table, table, {});
    FIRN_CHECK(dataset.train.count() == table.rows());
    for (std::uint16_t label : dataset.test.labels) FIRN_CHECK(label < dataset.classes);
  });
}
