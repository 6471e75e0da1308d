#include "firn/data/stored_schema.h"

#include <fmt/format.h>

#include "firn/base/error.h"

namespace firn::data {

std::optional<Schema> stored_schema(const SafetensorsFile& file, std::size_t features) {
  const auto text = file.metadata().find("schema");
  if (text == file.metadata().end()) return std::nullopt;
  Schema schema = parse_schema(text->second, file.source());
  if (feature_count(schema) != features)
    throw Error(fmt::format("{}: its schema has {} features but its encoder has {}; the file is damaged", file.source(),
                            feature_count(schema), features));
  return schema;
}

}  // namespace firn::data
