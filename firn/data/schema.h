// What the columns of a table mean: their names and kinds, the features that each becomes, and the label column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/rooms.h"

namespace firn::data {

enum class ColumnKind : std::uint8_t { kNumeric, kCategorical, kIgnored };

struct SchemaColumn {
  std::string name;  // as in the header; "column 3" where there is none. Counted from 0.
  ColumnKind kind = ColumnKind::kNumeric;
  std::vector<std::string> categories = {};  // of a categorical column, a feature each, in this order
  std::optional<double> fill = {};           // of a numeric column: what a missing value becomes; nothing: refused

  std::size_t features() const;
  friend bool operator==(const SchemaColumn&, const SchemaColumn&) = default;
};

// What numeric cells may hold, and what becomes of them.
enum class CellValues : std::uint8_t {
  kReals,  // any number, as a float
  kBytes,  // whole numbers from 0 to 255, as bytes
  kBits,   // 0 and 1, as the bytes 0 and 255, like the features of categories
};

// Plain data, so that a model can carry it along: everything that is needed to read another table as the training
// table was read.
struct Schema {
  std::vector<SchemaColumn> columns;  // all but the label, in the order of the training table
  CellValues values = CellValues::kReals;
  bool has_header = true;          // else columns are found by position
  std::string label = {};          // the label column's name; empty where there is none
  std::size_t label_position = 0;  // among all columns, counted from 0
  bool label_is_value = false;     // the label column holds numbers to predict; else classes
  std::string separator = {};      // of fields: as in DataSettings, or "blanks"
  bool ignores_unknown = false;    // an unknown category sets no feature of its column; else it is refused
  friend bool operator==(const Schema&, const Schema&) = default;
};

// Features of one column: consecutive, in the order of the columns.
struct FeatureRange {
  std::size_t first = 0, count = 0;
};
std::vector<FeatureRange> feature_ranges(const Schema& schema);  // [column]
std::size_t feature_count(const Schema& schema);

// "age" for a numeric column, "colour=red" for a category; as many as features.
std::vector<std::string> feature_names(const Schema& schema);

// A schema of numeric columns for features that somebody named, such as those of arrays in memory. Refuses names that
// are empty or occur twice.
Schema schema_of_names(std::span<const std::string> names, CellValues values);

// A schema as text, with neither path nor clock: equal schemas give equal text.
std::string to_json(const Schema& schema);
// The way back; an Error names `source` if the text is damaged.
Schema parse_schema(const std::string& text, const std::string& source);

}  // namespace firn::data
