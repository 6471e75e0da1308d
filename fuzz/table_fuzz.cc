// Blank-separated tables, with integers as names and ids left out.
#include "firn/data/columns.h"
#include "firn/data/sources/table.h"
#include "fuzz/run_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    const FieldTable table = parse_table(bytes, "fuzz");
    FIRN_CHECK(table.fields.size() == table.rows() * table.columns);
    const ColumnRules rules{
        .label_column = "", .label_first = true, .integers_are_names = true, .last_may_be_id = true};
    const Dataset dataset = dataset_from_tables(table, FieldTable(), rules);
    for (std::uint16_t label : dataset.train.labels) FIRN_CHECK(label < dataset.classes);
  });
}
