#include "firn/data/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/parse_json.h"
#include "firn/data/column_words.h"
#include "firn/data/limits.h"

namespace firn::data {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 3> kValues = {"reals", "bytes", "bits"};

// Reads one object of a schema; whatever is not as it was written means damage.
class Reader {
 public:
  Reader(const Json& object, const std::string& source) : object_(object), source_(source) {
    if (!object.is_object()) refuse("schema");
  }

  const Json& at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) refuse(key);
    return *found;
  }
  std::string text(const char* key) const {
    if (!at(key).is_string()) refuse(key);
    return at(key).get<std::string>();
  }
  bool flag(const char* key) const {
    if (!at(key).is_boolean()) refuse(key);
    return at(key).get<bool>();
  }
  template <std::size_t n>
  std::size_t choice(const char* key, const std::array<std::string_view, n>& names) const {
    const auto found = std::ranges::find(names, text(key));
    if (found == names.end()) refuse(key);
    return static_cast<std::size_t>(found - names.begin());
  }
  const Json& list(const char* key) const {
    if (!at(key).is_array()) refuse(key);
    return at(key);
  }
  [[noreturn]] void refuse(const char* key) const {
    throw Error(fmt::format("{}: its schema has a damaged \"{}\"; restore the file", source_, key));
  }

 private:
  const Json& object_;
  const std::string& source_;
};

// Whether a numeric cell may hold the number.
bool may_be(CellValues values, double number) {
  if (values == CellValues::kBits) return number == 0 || number == 1;
  if (values == CellValues::kBytes) return number >= 0 && number <= 255 && number == std::floor(number);
  return std::abs(number) <= std::numeric_limits<float>::max();
}

SchemaColumn read_column(const Json& object, const std::string& source) {
  const Reader reader(object, source);
  SchemaColumn column;
  column.name = reader.text("name");
  column.kind = static_cast<ColumnKind>(reader.choice("kind", kColumnKinds));
  if (column.kind == ColumnKind::kCategorical) {
    std::set<std::string> seen;
    for (const Json& category : reader.list("categories")) {
      if (!category.is_string() || !seen.insert(category.get<std::string>()).second) reader.refuse("categories");
      column.categories.push_back(category.get<std::string>());
    }
    if (column.categories.empty()) reader.refuse("categories");
  }
  if (object.contains("fill")) {
    const Json& fill = reader.at("fill");
    if (!fill.is_number()) reader.refuse("fill");
    column.fill = fill.get<double>();
  }
  return column;
}

Json to_object(const SchemaColumn& column) {
  Json object = {{"name", column.name}, {"kind", kind_name(column.kind)}};
  if (column.kind == ColumnKind::kCategorical) object["categories"] = column.categories;
  if (column.fill) object["fill"] = *column.fill;
  return object;
}

}  // namespace

std::size_t SchemaColumn::features() const {
  if (kind == ColumnKind::kIgnored) return 0;
  return kind == ColumnKind::kNumeric ? 1 : categories.size();
}

std::vector<FeatureRange> feature_ranges(const Schema& schema) {
  std::vector<FeatureRange> ranges;
  std::size_t next = 0;
  for (const SchemaColumn& column : schema.columns) {
    ranges.push_back({next, column.features()});
    next += column.features();
  }
  return ranges;
}

std::size_t feature_count(const Schema& schema) {
  std::size_t count = 0;
  for (const SchemaColumn& column : schema.columns) count += column.features();
  return count;
}

std::vector<std::string> feature_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const SchemaColumn& column : schema.columns) {
    if (column.kind == ColumnKind::kNumeric) names.push_back(column.name);
    for (const std::string& category : column.categories)
      names.push_back(fmt::format("{}={}", column.name, category_name(category)));
  }
  return names;
}

Schema schema_of_names(std::span<const std::string> names, CellValues values) {
  Schema schema{.columns = {}, .values = values};
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (name.empty()) throw Error("a feature has an empty name; name every feature");
    if (!seen.insert(name).second)
      throw Error(fmt::format("two features are called '{}'; give each a name of its own", name));
    schema.columns.push_back({.name = name});
  }
  schema.label_position = names.size();
  return schema;
}

std::string to_json(const Schema& schema) {
  Json columns = Json::array();
  for (const SchemaColumn& column : schema.columns) columns.push_back(to_object(column));
  Json object = {{"columns", std::move(columns)},
                 {"values", kValues[static_cast<std::size_t>(schema.values)]},
                 {"header", schema.has_header},
                 {"label", schema.label},
                 {"label_position", schema.label_position},
                 {"separator", schema.separator},
                 {"ignores_unknown", schema.ignores_unknown}};
  if (schema.label_is_value) object["label_is_value"] = true;
  // Names from programs may hold any bytes, and a model must be storable whatever it is called.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Schema parse_schema(const std::string& text, const std::string& source) {
  const Json object = parse_json(text);
  const Reader reader(object, source);
  Schema schema;
  for (const Json& column : reader.list("columns")) schema.columns.push_back(read_column(column, source));
  schema.values = static_cast<CellValues>(reader.choice("values", kValues));
  schema.has_header = reader.flag("header");
  schema.ignores_unknown = reader.flag("ignores_unknown");
  schema.label = reader.text("label");
  schema.label_is_value = object.contains("label_is_value") && reader.flag("label_is_value");
  for (const SchemaColumn& column : schema.columns)
    if (column.fill && !may_be(schema.values, *column.fill)) reader.refuse("fill");
  const Json& position = reader.at("label_position");
  if (!position.is_number_unsigned() || position.get<std::uint64_t>() > schema.columns.size())
    reader.refuse("label_position");
  schema.label_position = position.get<std::size_t>();
  schema.separator = reader.text("separator");
  constexpr std::array<std::string_view, 5> kSeparators = {"", ",", ";", "tab", "blanks"};
  if (std::ranges::find(kSeparators, schema.separator) == kSeparators.end()) reader.refuse("separator");
  return schema;
}

}  // namespace firn::data
