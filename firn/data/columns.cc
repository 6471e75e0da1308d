#include "firn/data/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/printable.h"
#include "firn/data/limits.h"

namespace firn::data {
namespace {

constexpr std::size_t kMaxCategories = 1000;              // of one column; more is an id or free text
constexpr std::size_t kMaxSmallIntegers = 16;             // different values of a column of integer names
constexpr std::size_t kMaxValues = std::size_t{1} << 33;  // of one part, after one-hot

using Parts = std::array<const FieldTable*, 2>;

std::optional<double> number(std::string_view field) {
  if (field.starts_with('+')) field.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  if (!(std::abs(value) <= std::numeric_limits<float>::max())) return std::nullopt;  // also NaN
  return value;
}

bool is_missing(std::string_view field) {
  return field.empty() || field == "?" || field == "NA" || field == "NaN" || field == "nan";
}

// 9 before 10, and words in alphabetical order after the numbers.
struct Ascending {
  bool operator()(std::string_view a, std::string_view b) const {
    const std::optional<double> na = number(a), nb = number(b);
    if (na.has_value() != nb.has_value()) return na.has_value();
    if (na && *na != *nb) return *na < *nb;
    return a < b;
  }
};

using Ranks = std::map<std::string_view, std::size_t, Ascending>;

// The different values of a column over both parts, numbered in ascending order; stops beyond `limit`.
Ranks rank_values(const Parts& parts, std::size_t column, std::size_t limit) {
  std::unordered_set<std::string_view> values;
  for (const FieldTable* part : parts)
    for (std::size_t r = 0; r < part->rows() && values.size() <= limit; ++r) values.insert(part->at(r, column));
  Ranks ranks;
  for (std::string_view value : values) ranks.emplace(value, 0);
  std::size_t next = 0;
  for (auto& [value, rank] : ranks) rank = next++;
  return ranks;
}

std::string column_name(const FieldTable& table, std::size_t column) {
  return table.header.empty() ? fmt::format("column {}", column) : fmt::format("column '{}'", table.header[column]);
}

// What a column becomes: one numeric feature, or one feature for each category.
struct Column {
  std::size_t source = 0, first_feature = 0;
  Ranks categories;    // empty: numeric
  bool binary = true;  // every value is 0 or 1
  std::size_t features() const { return categories.empty() ? 1 : categories.size(); }
};

struct ColumnFacts {
  bool numbers = false, words = false, integers = true, binary = true;
  const FieldTable* missing_in = nullptr;
  std::size_t missing_line = 0;
};

ColumnFacts inspect(const Parts& parts, std::size_t column) {
  ColumnFacts facts;
  for (const FieldTable* part : parts)
    for (std::size_t r = 0; r < part->rows(); ++r) {
      const std::string_view field = part->at(r, column);
      if (is_missing(field)) {
        if (facts.missing_in == nullptr) facts.missing_in = part, facts.missing_line = part->lines[r];
      } else if (const std::optional<double> value = number(field)) {
        facts.numbers = true;
        facts.integers &= *value == std::floor(*value);
        facts.binary &= *value == 0 || *value == 1;
      } else {
        facts.words = true;
      }
    }
  return facts;
}

Column plan_column(const Parts& parts, std::size_t column, const ColumnRules& rules) {
  const ColumnFacts facts = inspect(parts, column);
  const bool numeric = facts.numbers && !facts.words;
  if (numeric && !(rules.integers_are_names && facts.integers && !facts.binary)) {
    if (facts.missing_in != nullptr)
      throw Error(fmt::format("{}, line {}: {} has no value; fill it in or remove the row", facts.missing_in->name,
                              facts.missing_line, column_name(*parts[0], column)));
    return {.source = column, .first_feature = 0, .categories = {}, .binary = facts.binary};
  }
  Ranks ranks = rank_values(parts, column, kMaxCategories);
  if (numeric && facts.missing_in == nullptr && ranks.size() > kMaxSmallIntegers)
    return {.source = column, .first_feature = 0, .categories = {}, .binary = facts.binary};
  if (ranks.size() > kMaxCategories)
    throw Error(
        fmt::format("{}: {} is not numeric and has more than {} different values; remove it or group its values",
                    parts[0]->name, column_name(*parts[0], column), kMaxCategories));
  return {.source = column, .first_feature = 0, .categories = std::move(ranks), .binary = true};
}

std::size_t find_label(const FieldTable& table, const ColumnRules& rules) {
  if (rules.label_column.empty()) return rules.label_first ? 0 : table.columns - 1;
  const auto named = std::find(table.header.begin(), table.header.end(), rules.label_column);
  if (named != table.header.end()) return static_cast<std::size_t>(named - table.header.begin());
  std::ptrdiff_t index = 0;
  const char* end = rules.label_column.data() + rules.label_column.size();
  const auto parsed = std::from_chars(rules.label_column.data(), end, index);
  const auto columns = static_cast<std::ptrdiff_t>(table.columns);
  if (parsed.ec != std::errc() || parsed.ptr != end || index < -columns || index >= columns)
    throw Error(
        fmt::format("{} has no column '{}' among its {} columns; set data.label_column to a name in its header "
                    "or a number from 0",
                    table.name, rules.label_column, table.columns));
  return static_cast<std::size_t>(index < 0 ? index + columns : index);
}

bool is_id(const FieldTable& table, std::size_t column) {
  std::unordered_set<std::string_view> seen;
  for (std::size_t r = 0; r < table.rows(); ++r)
    if (number(table.at(r, column)) || !seen.insert(table.at(r, column)).second) return false;
  return table.rows() > 1;
}

std::vector<Column> plan_columns(const Parts& parts, std::size_t label, const ColumnRules& rules) {
  std::vector<Column> plan;
  std::size_t features = 0;
  for (std::size_t c = 0; c < parts[0]->columns; ++c) {
    const bool last = c + 1 == parts[0]->columns;
    if (c == label || (last && rules.last_may_be_id && is_id(*parts[0], c))) continue;
    plan.push_back(plan_column(parts, c, rules));
    plan.back().first_feature = features;
    features += plan.back().features();
  }
  return plan;
}

Examples fill(const FieldTable& part, const std::vector<Column>& plan, std::size_t label, const Ranks& classes,
              bool binary) {
  const std::size_t features = plan.back().first_feature + plan.back().features();
  if (part.rows() > kMaxValues / features)
    throw Error(
        fmt::format("{} would become {} rows of {} features, which is too much; remove columns with many "
                    "categories",
                    part.name, part.rows(), features));
  Matrix<std::uint8_t> bytes(binary ? part.rows() : 0, features);
  Matrix<float> reals(binary ? 0 : part.rows(), features);
  std::vector<std::uint16_t> labels;
  const auto put = [&](std::size_t r, std::size_t feature, double value) {
    if (binary) {
      bytes[r][feature] = value != 0 ? 255 : 0;
    } else {
      reals[r][feature] = static_cast<float>(value);
    }
  };
  for (std::size_t r = 0; r < part.rows(); ++r) {
    labels.push_back(static_cast<std::uint16_t>(classes.at(part.at(r, label))));
    for (const Column& column : plan) {
      const std::string_view field = part.at(r, column.source);
      if (column.categories.empty()) {
        put(r, column.first_feature, *number(field));
      } else {
        put(r, column.first_feature + column.categories.at(field), 1);
      }
    }
  }
  return {.bytes = std::move(bytes), .reals = std::move(reals), .labels = std::move(labels)};
}

Ranks rank_classes(const Parts& parts, std::size_t label) {
  Ranks classes = rank_values(parts, label, kMaxClasses);
  const std::string where = fmt::format("{}: the label {}", parts[0]->name, column_name(*parts[0], label));
  if (classes.size() > kMaxClasses)
    throw Error(fmt::format("{} has more than {} different values; choose data.label_column", where, kMaxClasses));
  if (classes.size() < 2)
    throw Error(fmt::format("{} has the same value in every row; choose another data.label_column", where));
  for (const FieldTable* part : parts)
    for (std::size_t r = 0; r < part->rows(); ++r)
      if (part->at(r, label).empty())
        throw Error(
            fmt::format("{}, line {}: the label is empty; fill it in or remove the row", part->name, part->lines[r]));
  return classes;
}

}  // namespace

bool is_number(std::string_view field) {
  return number(field).has_value();
}

void append_row(FieldTable& table, const std::vector<std::string_view>& row, std::size_t line) {
  if (table.columns == 0) table.columns = row.size();
  if (row.size() != table.columns)
    throw Error(fmt::format("{}, line {}: {} fields where the lines before have {}; make all rows equally long",
                            table.name, line, row.size(), table.columns));
  table.fields.insert(table.fields.end(), row.begin(), row.end());
  table.lines.push_back(line);
}

Dataset dataset_from_tables(const FieldTable& train, const FieldTable& test, const ColumnRules& rules) {
  if (train.rows() == 0) throw Error(fmt::format("{} has no rows; check data.file", train.name));
  if (train.columns < 2)
    throw Error(fmt::format("{} has only one column; it needs a label and at least one feature", train.name));
  if (test.rows() != 0 && test.columns != train.columns)
    throw Error(fmt::format("{} has {} columns but {} has {}; are they of the same table?", test.name, test.columns,
                            train.name, train.columns));
  const Parts parts = {&train, &test};
  const std::size_t label = find_label(train, rules);
  const Ranks classes = rank_classes(parts, label);
  const std::vector<Column> plan = plan_columns(parts, label, rules);
  if (plan.empty()) throw Error(fmt::format("{} has no column left but label and id; add features", train.name));
  const bool binary = std::all_of(plan.begin(), plan.end(), [](const Column& c) { return c.binary; });

  Dataset dataset;
  dataset.name = train.name;
  dataset.shape = {plan.back().first_feature + plan.back().features(), 1, 1};
  dataset.classes = classes.size();
  for (const auto& [value, rank] : classes) dataset.class_names.push_back(printable(value));
  dataset.train = fill(train, plan, label, classes, binary);
  dataset.test = fill(test, plan, label, classes, binary);
  return dataset;
}

}  // namespace firn::data
