#include "firn/data/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/base/printable.h"
#include "firn/data/cells.h"
#include "firn/data/column_list.h"
#include "firn/data/limits.h"
#include "firn/data/rows.h"

namespace firn::data {
namespace {

constexpr std::size_t kMaxCategories = 1000;   // of one column; more is an id or free text
constexpr std::size_t kMaxSmallIntegers = 16;  // different values of a column of integer names

struct MissingPolicy {
  std::string_view name;
  bool categories;  // a missing cell of a categorical column is a category of its own
  bool median;      // a missing cell of a numeric column becomes the median
};
constexpr std::array<MissingPolicy, 3> kMissingPolicies = {
    {{"category", true, false}, {"median", true, true}, {"refuse", false, false}}};

// What the cells of a column are. Places are rows; npos: there is none.
struct ColumnFacts {
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
  std::size_t present = 0, numbers = 0, alike = 0;  // cells that are not missing; of them: numbers; look like numbers
  std::size_t first_missing = npos, first_other = npos;  // the first that is no number
  bool integers = true, binary = true;

  bool is_numeric() const { return present > 0 && numbers == present; }
  bool is_categorical() const { return 2 * (numbers + alike) < present || present == 0; }
};

ColumnFacts inspect(const FieldTable& table, std::size_t column) {
  ColumnFacts facts;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::string_view cell = table.at(r, column);
    if (is_missing(cell)) {
      facts.first_missing = std::min(facts.first_missing, r);
      continue;
    }
    ++facts.present;
    if (const std::optional<double> value = number_in(cell)) {
      ++facts.numbers;
      facts.integers &= *value == std::floor(*value);
      facts.binary &= *value == 0 || *value == 1;
    } else {
      facts.first_other = std::min(facts.first_other, r);
      facts.alike += looks_like_number(cell);
    }
  }
  return facts;
}

// Decides what the columns of one training table are.
class SchemaMaker {
 public:
  SchemaMaker(const FieldTable& table, const ColumnRules& rules)
      : table_(table),
        rules_(rules),
        policy_(entry_named(rules.missing, kMissingPolicies, "treatment of missing values")),
        declared_(parse_column_list(rules.columns)) {
    for (const DeclaredColumn& declared : declared_) {
      const std::size_t c = find_column(table, declared.name, "data.columns");
      if (!declared_at_.emplace(c, &declared).second)
        throw Error(fmt::format("data.columns names {} twice; declare it once", table.quoted_name(c)));
    }
  }

  Schema make() {
    Schema schema;
    schema.has_header = !table_.header.empty();
    schema.ignores_unknown = rules_.ignore_unknown;
    schema.label_position = find_label();
    schema.label = table_.column_name(schema.label_position);
    schema.label_is_value = rules_.predicts_values;
    if (declared_at_.contains(schema.label_position))
      throw Error(fmt::format("data.columns names '{}', which is the label column; set data.label_column to another",
                              schema.label));
    for (std::size_t c = 0; c < table_.columns; ++c)
      if (c != schema.label_position) schema.columns.push_back(make_column(c));
    if (feature_count(schema) == 0)
      throw Error(fmt::format("{} has no column left but the label; add features", table_.name));
    schema.values = bits_ ? CellValues::kBits : CellValues::kReals;
    return schema;
  }

 private:
  std::size_t find_label() const {
    if (rules_.label_column.empty()) return rules_.label_first ? 0 : table_.columns - 1;
    return find_column(table_, rules_.label_column, "data.label_column");
  }

  SchemaColumn make_column(std::size_t c) {
    const auto found = declared_at_.find(c);
    if (found != declared_at_.end()) return declared_column(c, *found->second);
    const bool is_last = c + 1 == table_.columns;
    if (is_last && rules_.last_may_be_id && is_id(c))
      return {.name = table_.column_name(c), .kind = ColumnKind::kIgnored};
    const ColumnFacts facts = inspect(table_, c);
    if (facts.is_numeric()) {
      refuse_index(c);
      const bool names = rules_.integers_are_names && facts.integers && !facts.binary;
      if (!names || values_of(c).size() > kMaxSmallIntegers) return numeric(c, facts.binary);
      return categorical(c, facts);
    }
    if (facts.is_categorical()) {
      SchemaColumn column = categorical(c, facts);
      refuse_ids(c, column);
      return column;
    }
    refuse_mixture(c, facts);
  }

  [[noreturn]] void refuse_mixture(std::size_t c, const ColumnFacts& facts) const {
    const std::size_t r = facts.first_other;
    if (facts.numbers == 0)
      throw Error(fmt::format(
          "{}, line {}: {} holds {}, which is not a number that Firn reads, and no other number; write "
          "numbers like 3.14 or 1e-3, or say what the column is: data.columns = [\"{}:categorical\"]",
          table_.name, table_.lines[r], table_.quoted_name(c), quote_cell(table_.at(r, c)), table_.column_name(c)));
    throw Error(
        fmt::format("{}, line {}: {} holds {}, but {} of its {} values are numbers; correct the cell, "
                    "or say what the column is: data.columns = [\"{}:categorical\"]",
                    table_.name, table_.lines[r], table_.quoted_name(c), quote_cell(table_.at(r, c)), facts.numbers,
                    facts.present, table_.column_name(c)));
  }

  // The numbers of rows that data frames are saved with, in a first column without a name.
  void refuse_index(std::size_t c) const {
    if (c != 0 || table_.header.empty() || table_.header[0] != "column 0") return;
    const std::optional<double> first = number_in(table_.at(0, 0));
    if (!first || (*first != 0 && *first != 1)) return;
    for (std::size_t r = 1; r < table_.rows(); ++r)
      if (number_in(table_.at(r, 0)) != *first + static_cast<double>(r)) return;
    throw Error(
        fmt::format("{}: the first column has no name and numbers the rows, so it says nothing about them; leave it "
                    "out: data.columns = [\"0:ignore\"]",
                    table_.name));
  }

  void refuse_ids(std::size_t c, const SchemaColumn& column) const {
    constexpr std::size_t kFewestRows = 20;  // in fewer, words may differ by chance
    if (table_.rows() < kFewestRows || column.categories.size() < table_.rows()) return;
    throw Error(
        fmt::format("{}: {} has another word in each of the {} rows, as ids have; leave it out: data.columns = "
                    "[\"{}:ignore\"], or keep it: [\"{}:categorical\"]",
                    table_.name, table_.quoted_name(c), table_.rows(), entry_name(c), entry_name(c)));
  }

  // What data.columns calls a column.
  std::string entry_name(std::size_t c) const { return table_.header.empty() ? std::to_string(c) : table_.header[c]; }

  SchemaColumn declared_column(std::size_t c, const DeclaredColumn& declared) {
    if (declared.kind == ColumnKind::kIgnored) return {.name = table_.column_name(c), .kind = declared.kind};
    if (declared.kind == ColumnKind::kNumeric) return numeric(c, /*is_binary=*/false);
    const ColumnFacts facts = inspect(table_, c);
    if (declared.categories.empty()) return categorical(c, facts);
    refuse_missing(c, facts, policy_.categories);
    return {.name = table_.column_name(c), .kind = declared.kind, .categories = declared.categories};
  }

  // Cells that are no numbers, and missing ones without a median, are refused when rows are read.
  SchemaColumn numeric(std::size_t c, bool is_binary) {
    SchemaColumn column{.name = table_.column_name(c)};
    if (policy_.median) column.fill = median(c);
    bits_ &= is_binary;
    return column;
  }

  SchemaColumn categorical(std::size_t c, const ColumnFacts& facts) {
    refuse_missing(c, facts, policy_.categories);
    SchemaColumn column{.name = table_.column_name(c), .kind = ColumnKind::kCategorical};
    const auto values = values_of(c);
    if (values.size() > kMaxCategories)
      throw Error(
          fmt::format("{}: {} is not numeric and has more than {} different values; group its values, "
                      "or leave it out: data.columns = [\"{}:ignore\"]",
                      table_.name, table_.quoted_name(c), kMaxCategories, column.name));
    column.categories.assign(values.begin(), values.end());
    std::ranges::sort(column.categories, CellOrder());
    return column;
  }

  void refuse_missing(std::size_t c, const ColumnFacts& facts, bool allowed) const {
    if (allowed || facts.first_missing == ColumnFacts::npos) return;
    throw Error(fmt::format("{}, line {}: {} has no value; fill it in, remove the row, or set data.missing",
                            table_.name, table_.lines[facts.first_missing], table_.quoted_name(c)));
  }

  // Up to one more than may be. Whatever a missing value is written as, it is the empty one.
  std::unordered_set<std::string_view> values_of(std::size_t c) const {
    std::unordered_set<std::string_view> values;
    for (std::size_t r = 0; r < table_.rows() && values.size() <= kMaxCategories; ++r) {
      const std::string_view cell = table_.at(r, c);
      values.insert(is_missing(cell) ? "" : cell);
    }
    return values;
  }

  // The lower one of the two in the middle, so that whole numbers stay whole; nothing where there are no numbers.
  std::optional<double> median(std::size_t c) const {
    std::vector<double> values;
    for (std::size_t r = 0; r < table_.rows(); ++r)
      if (const std::optional<double> value = number_in(table_.at(r, c))) values.push_back(*value);
    if (values.empty()) return std::nullopt;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
  }

  bool is_id(std::size_t c) const {
    std::unordered_set<std::string_view> seen;
    for (std::size_t r = 0; r < table_.rows(); ++r)
      if (number_in(table_.at(r, c)) || !seen.insert(table_.at(r, c)).second) return false;
    return table_.rows() > 1;
  }

  const FieldTable& table_;
  const ColumnRules& rules_;
  const MissingPolicy& policy_;
  std::vector<DeclaredColumn> declared_;
  std::map<std::size_t, const DeclaredColumn*> declared_at_;
  bool bits_ = true;
};

// Numbers that are hardly classes: many different ones, fractions among them or few rows for each; or such as hardly
// repeat, in a table that is large enough to tell.
void refuse_values(const std::set<std::string_view, CellOrder>& labels, std::size_t rows, const std::string& where) {
  constexpr std::size_t kFew = 20, kRowsPerClass = 3;
  const bool hardly_repeat = rows >= kFew && 2 * labels.size() > rows;
  if (labels.size() <= kFew && !hardly_repeat) return;
  bool has_fractions = false;
  for (const std::string_view label : labels) {
    const std::optional<double> value = number_in(label);
    if (!value) return;
    has_fractions |= *value != std::floor(*value);
  }
  if (has_fractions || hardly_repeat || labels.size() * kRowsPerClass > rows)
    throw Error(
        fmt::format("{} holds numbers such as {}, {} different ones in {} rows; to predict values set "
                    "data.task = \"regression\" and train.loss = \"squared\", or group them into classes",
                    where, *labels.begin(), labels.size(), rows));
}

}  // namespace

std::vector<std::string> missing_policies() {
  return names_of(kMissingPolicies);
}

Schema infer_schema(const FieldTable& table, const ColumnRules& rules) {
  if (table.rows() == 0) throw Error(fmt::format("{} has a header but no rows; check data.file", table.name));
  if (table.columns < 2)
    throw Error(fmt::format("{} has only one column; it needs a label and at least one feature", table.name));
  return SchemaMaker(table, rules).make();
}

std::vector<std::string> classes_in(const FieldTable& table, const Schema& schema) {
  const std::size_t label = schema.label_position;
  const std::string where = fmt::format("{}: the label, {},", table.name, table.quoted_name(label));
  std::set<std::string_view, CellOrder> values;
  std::string_view last;
  for (std::size_t r = 0; r < table.rows() && values.size() <= kMaxClasses; ++r) {
    const std::string_view cell = table.at(r, label);
    if (is_missing_label(cell)) refuse_missing_label(table, r);
    if (cell != last || values.empty()) values.insert(cell);
    last = cell;
  }
  refuse_values(values, table.rows(), where);
  if (values.size() > kMaxClasses)
    throw Error(fmt::format("{} has more than {} different values; choose data.label_column", where, kMaxClasses));
  if (values.size() < 2)
    throw Error(fmt::format("{} has the same value in every row; choose another data.label_column", where));
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const std::string_view value : values)
    if (!seen.insert(names.emplace_back(printable(value))).second)
      throw Error(fmt::format("{} has two classes that read {}; rename one", where, quote_cell(names.back())));
  return names;
}

Dataset dataset_from_tables(FieldTable train, FieldTable test, const ColumnRules& rules) {
  Dataset dataset;
  dataset.name = train.name;
  dataset.schema = infer_schema(train, rules);
  const Schema& schema = *dataset.schema;
  dataset.shape = {feature_count(schema), 1, 1};
  if (!schema.label_is_value) dataset.class_names = classes_in(train, schema);
  dataset.classes = dataset.class_names.size();
  const RowRules reading{
      .schema = schema, .class_names = dataset.class_names, .needs_labels = true, .in_training = true};
  dataset.train = read_rows(std::move(train), reading);
  if (test.rows() != 0) dataset.test = read_rows(std::move(test), reading);
  return dataset;
}

}  // namespace firn::data
