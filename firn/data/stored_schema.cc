#include "firn/data/stored_schema.h"

#include <fmt/format.h>

#include "firn/base/error.h"

namespace firn::data {

void check_schema(const Schema& schema, const SchemaFacts& model, const std::string& source) {
  if (feature_count(schema) != model.features)
    throw Error(fmt::format("{}: its schema has {} features but its encoder has {}; the file is damaged", source,
                            feature_count(schema), model.features));
  const auto numbers = [](bool reals) { return reals ? "reals" : "bytes"; };
  if (const bool reals = schema.values == CellValues::kReals; reals != model.reals)
    throw Error(fmt::format("{}: its schema is for {} but its encoder takes {}; the file is damaged", source,
                            numbers(reals), numbers(model.reals)));
  const auto answers = [](bool values) { return values ? "values" : "classes"; };
  const bool has_label = schema.label_is_value || !schema.label.empty();
  if (has_label && schema.label_is_value != model.predicts_values)
    throw Error(fmt::format("{}: its schema has labels that are {} but its head predicts {}; the file is damaged",
                            source, answers(schema.label_is_value), answers(model.predicts_values)));
}

std::optional<Schema> stored_schema(const SafetensorsFile& file, const SchemaFacts& model) {
  const auto text = file.metadata().find("schema");
  if (text == file.metadata().end()) return std::nullopt;
  Schema schema = parse_schema(text->second, file.source());
  check_schema(schema, model, file.source());
  return schema;
}

}  // namespace firn::data
