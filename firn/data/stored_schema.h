// The schema in a file of a model.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "firn/base/safetensors.h"
#include "firn/data/schema.h"

namespace firn::data {

// What a model says itself of what its schema says.
struct SchemaFacts {
  std::size_t features = 0;
  bool reals = false;            // else it takes bytes
  bool predicts_values = false;  // else classes
};

// Refuses a schema that contradicts its model; the Error starts with `source`.
void check_schema(const Schema& schema, const SchemaFacts& model, const std::string& source);

// Metadata "schema", checked, or nothing where the file has none, as those have that were written before models knew
// their columns.
std::optional<Schema> stored_schema(const SafetensorsFile& file, const SchemaFacts& model);

}  // namespace firn::data
