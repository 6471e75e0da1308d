#include "firn/data/samples/csv.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "firn/base/error.h"
#include "firn/data/rows.h"
#include "firn/data/sources/csv.h"
#include "firn/data/sources/table.h"
#include "firn/data/table_text.h"

namespace firn::data {
namespace {

// For a model whose features have no names.
Schema plain_schema(const SampleNeeds& needs, const std::string& name) {
  if (needs.shape.height * needs.shape.width != 1)
    throw Error(fmt::format("{} is read as a table, but the model takes images of {} x {} x {}; name a file of images",
                            name, needs.shape.channels, needs.shape.height, needs.shape.width));
  // A 1 could be the byte 1 or a bit that is set, which is the byte 255.
  if (!needs.reals)
    throw Error(
        fmt::format("{} cannot be matched: the model was trained on bytes without column names; train it on a "
                    "table, or on arrays whose features have names",
                    name));
  Schema schema;
  schema.has_header = false;
  for (std::size_t i = 0; i < needs.shape.size(); ++i) schema.columns.push_back({.name = fmt::format("column {}", i)});
  return schema;
}

std::vector<std::string> numbers_below(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

}  // namespace

bool takes_any_path(const std::string&) {
  return true;
}

SampleFile read_csv_samples(const std::string& path, const SampleNeeds& needs) {
  const std::string name = table_name(path);
  const Schema schema = needs.schema != nullptr ? *needs.schema : plain_schema(needs, name);
  const std::vector<std::string> classes = needs.class_names.empty()
                                               ? numbers_below(needs.classes)
                                               : std::vector(needs.class_names.begin(), needs.class_names.end());
  const std::string bytes = read_table_bytes(path, "check the path");
  FieldTable table = schema.separator == "blanks" ? parse_table(bytes, name)
                                                  : parse_csv(bytes, name, schema.separator, "quote the fields");
  return {.examples = read_rows(std::move(table),
                                {.schema = schema, .class_names = classes, .by_position = !needs.has_header})};
}

}  // namespace firn::data
