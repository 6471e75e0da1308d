// The schema in a file of a model.
#pragma once

#include <cstddef>
#include <optional>

#include "firn/base/safetensors.h"
#include "firn/data/schema.h"

namespace firn::data {

// Metadata "schema", or nothing where the file has none, as those have that were written before models knew their
// columns. Refuses a schema that has another number of features than the model.
std::optional<Schema> stored_schema(const SafetensorsFile& file, std::size_t features);

}  // namespace firn::data
