#include "firn/data/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/nearest.h"
#include "firn/base/printable.h"
#include "firn/data/cells.h"
#include "firn/data/column_words.h"
#include "firn/data/header.h"

namespace firn::data {
namespace {

constexpr std::size_t kMaxValues = std::size_t{1} << 33;  // of one table, after one-hot
constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

// Names for a message: all of a few, the first of many.
std::string some_of(std::span<const std::string> names) {
  constexpr std::size_t kMost = 8;
  if (names.size() <= kMost) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.subspan(0, kMost), ", "), names.size() - kMost);
}

std::vector<std::string> readable(const std::vector<std::string>& categories) {
  std::vector<std::string> names;
  for (const std::string& category : categories) names.emplace_back(category_name(category));
  return names;
}

// Where the columns of the schema are in a table.
struct Places {
  std::vector<std::size_t> columns = {};  // [column of the schema]; kNowhere for ignored ones that are not there
  std::size_t label = kNowhere;
  bool by_position = false;
};

class Matcher {
 public:
  Matcher(const RowRules& rules, FieldTable& table) : rules_(rules), schema_(rules.schema), table_(table) {
    for (std::size_t i = 0; i < schema_.columns.size(); ++i) known_.emplace(schema_.columns[i].name, i);
  }

  Places match() {
    if (table_.rows() == 0 && table_.header.empty()) throw Error(fmt::format("{} is empty", table_.name));
    if (!schema_.has_header || rules_.by_position) return by_position();
    if (table_.header.empty()) {
      if (!names_in_first_row()) refuse_first_row();
      make_first_row_header(table_);
    }
    return by_name();
  }

 private:
  bool is_label(std::string_view name) const { return !schema_.label.empty() && name == schema_.label; }

  bool names_in_first_row() const {
    for (std::size_t c = 0; c < table_.columns && table_.rows() > 0; ++c) {
      const std::string name = printable(table_.at(0, c));
      if (is_label(name) || known_.contains(name)) return true;
    }
    return false;
  }

  Places by_name() const {
    Places places{.columns = std::vector<std::size_t>(schema_.columns.size(), kNowhere)};
    std::vector<std::string> unknown, missing;
    for (std::size_t c = 0; c < table_.columns; ++c) {
      const std::string& name = table_.header[c];
      if (const auto found = known_.find(name); found != known_.end())
        places.columns[found->second] = c;
      else if (is_label(name))
        places.label = c;
      else
        unknown.push_back(name);
    }
    for (std::size_t i = 0; i < schema_.columns.size(); ++i)
      if (places.columns[i] == kNowhere && schema_.columns[i].kind != ColumnKind::kIgnored)
        missing.push_back(schema_.columns[i].name);
    if (unknown.empty() && missing.empty()) return places;
    refuse(unknown, missing);
  }

  // Columns by position would be a guess: nobody could tell a header with other names from a row.
  [[noreturn]] void refuse_first_row() const {
    throw Error(fmt::format("{}, line {}: the first row, which starts with {}, holds none of the columns {}; {}",
                            table_.name, table_.lines[0], quote_cell(table_.at(0, 0)), some_of(names()),
                            rules_.in_training ? "add a header as in the training file"
                                               : "add a header, or say that there is none (--no-header)"));
  }

  static std::string list(const std::vector<std::string>& names) {
    if (names.size() > 1) return fmt::format("columns {}", some_of(names));
    return names[0].starts_with("column ") ? names[0] : fmt::format("column {}", names[0]);
  }

  [[noreturn]] void refuse(const std::vector<std::string>& unknown, const std::vector<std::string>& missing) const {
    if (unknown.empty())
      throw Error(fmt::format("{} lacks the {} that the model was trained on; add what is missing", table_.name,
                              list(missing)));
    if (missing.empty())
      throw Error(fmt::format("{} has the {}, which the model was not trained on; remove {}", table_.name,
                              list(unknown), unknown.size() == 1 ? "it" : "them"));
    throw Error(
        fmt::format("{} lacks the {} that the model was trained on, and has the unknown {}; rename the columns "
                    "to what they were called in training{}",
                    table_.name, list(missing), list(unknown), suggestion(unknown[0], missing)));
  }

  Places by_position() const {
    const std::size_t all = schema_.columns.size(), features = all - count_ignored();
    const bool may_have_label = !schema_.label.empty();
    const bool has_label = may_have_label && table_.columns == all + 1;
    // With some columns ignored, any other number could be one with the label or one with some of them.
    const bool fits = has_label || table_.columns == features || (table_.columns == all && !may_have_label);
    if (!fits) refuse_width(all, features);
    if (!rules_.by_position && !rules_.in_training && first_row_numbers_columns(table_))
      throw Error(
          fmt::format("{}, line {}: the first row numbers the columns; remove it, or say that there is no header "
                      "(--no-header)",
                      table_.name, table_.lines[0]));
    Places places{.by_position = true};
    std::size_t next = 0;
    for (const SchemaColumn& column : schema_.columns) {
      if (has_label && next == schema_.label_position) ++next;
      const bool is_left_out = column.kind == ColumnKind::kIgnored && table_.columns == features;
      places.columns.push_back(is_left_out ? kNowhere : next++);
    }
    if (has_label) places.label = schema_.label_position;
    return places;
  }

  std::size_t count_ignored() const {
    return static_cast<std::size_t>(std::ranges::count(schema_.columns, ColumnKind::kIgnored, &SchemaColumn::kind));
  }

  [[noreturn]] void refuse_width(std::size_t all, std::size_t features) const {
    const std::string_view label = schema_.label.empty() ? "" : " and the label";
    const std::string without_ignored =
        all == features ? "" : fmt::format(", of which position tells only all{} or the {} features", label, features);
    throw Error(fmt::format("{} has {} column{}{}, but the model was trained on {}{}{}: {}", table_.name,
                            table_.columns, table_.columns == 1 ? "" : "s",
                            schema_.has_header ? " and no header, so position counts" : "", all, label, without_ignored,
                            some_of(names())));
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const SchemaColumn& column : schema_.columns) names.push_back(column.name);
    return names;
  }

  const RowRules& rules_;
  const Schema& schema_;
  FieldTable& table_;
  std::unordered_map<std::string, std::size_t> known_;
};

// Turns the cells of a matched table into features and class numbers.
class RowFiller {
 public:
  RowFiller(const FieldTable& table, const RowRules& rules, Places places)
      : table_(table), rules_(rules), places_(std::move(places)), ranges_(feature_ranges(rules.schema)) {
    for (const SchemaColumn& column : rules.schema.columns) {
      auto& ranks = categories_.emplace_back();
      for (const std::string& category : column.categories) ranks.emplace(category, ranks.size());
    }
    for (const std::string& name : rules.class_names) classes_.emplace(name, classes_.size());
  }

  Examples fill() {
    const std::size_t features = feature_count(rules_.schema);
    if (table_.rows() > kMaxValues / features)
      throw Error(
          fmt::format("{} would become {} rows of {} features, which is too much; leave out columns with many "
                      "categories",
                      table_.name, table_.rows(), features));
    const bool reals = rules_.schema.values == CellValues::kReals;
    Matrix<float> floats(reals ? table_.rows() : 0, features);
    Matrix<std::uint8_t> bytes(reals ? 0 : table_.rows(), features);
    const double one = rules_.schema.values == CellValues::kBits ? 255 : 1;
    std::vector<std::uint16_t> labels;
    std::vector<float> targets;
    for (std::size_t r = 0; r < table_.rows(); ++r) {
      if (places_.by_position) refuse_foreign_row(r);
      for (std::size_t c = 0; c < ranges_.size(); ++c) {
        if (ranges_[c].count == 0) continue;
        const Feature feature = feature_at(r, c);
        const std::size_t place = ranges_[c].first + feature.offset;
        if (reals)
          floats[r][place] = static_cast<float>(feature.value);
        else
          bytes[r][place] = static_cast<std::uint8_t>(feature.value * one);
      }
      if (places_.label == kNowhere) continue;
      if (rules_.schema.label_is_value)
        targets.push_back(target_at(r));
      else
        labels.push_back(label_at(r));
    }
    return {.bytes = std::move(bytes),
            .reals = std::move(floats),
            .labels = std::move(labels),
            .targets = std::move(targets)};
  }

 private:
  struct Feature {
    std::size_t offset = 0;  // in the range of the column
    double value = 0;
  };

  // Where unknown categories are ignored, swapped columns and a header with other names would pass as rows.
  void refuse_foreign_row(std::size_t r) const {
    if (!rules_.schema.ignores_unknown) return;
    std::size_t categorical = 0;
    for (std::size_t c = 0; c < ranges_.size(); ++c) {
      if (categories_[c].empty()) continue;
      const std::string_view cell = table_.at(r, places_.columns[c]);
      if (is_missing(cell) || categories_[c].contains(cell)) return;
      ++categorical;
    }
    if (categorical == 0) return;
    throw Error(
        fmt::format("{}, line {}: not one of the categories is known, so this is hardly a row of such a table; columns "
                    "are taken by position: put them in the order of training, or add a header",
                    table_.name, table_.lines[r]));
  }

  Feature feature_at(std::size_t r, std::size_t c) const {
    const std::string_view cell = table_.at(r, places_.columns[c]);
    const bool is_numeric = rules_.schema.columns[c].kind == ColumnKind::kNumeric;
    return is_numeric ? Feature{0, number_at(r, c, cell)} : category_at(r, c, cell);
  }

  double number_at(std::size_t r, std::size_t c, std::string_view cell) const {
    const SchemaColumn& column = rules_.schema.columns[c];
    if (const std::optional<double> value = number_in(cell)) {
      check_range(r, c, *value);
      return *value;
    }
    if (is_missing(cell) && column.fill) return *column.fill;
    if (is_missing(cell))
      refuse(r, c, "has no value",
             rules_.in_training ? "fill it in, remove the row, or set data.missing = \"median\""
                                : "fill it in or remove the row");
    const std::string_view kind = looks_like_number(cell) ? "is not a number that Firn reads" : "is not a number";
    refuse(r, c, fmt::format("holds {}, which {}", quote_cell(cell), kind),
           looks_like_number(cell) ? "write numbers like 3.14 or 1e-3" : advice(r, "correct the cell"));
  }

  void check_range(std::size_t r, std::size_t c, double value) const {
    if (rules_.schema.values == CellValues::kBits && value != 0 && value != 1)
      refuse(r, c, fmt::format("holds {}, but was 0 or 1 in every row that trained the model", value),
             rules_.in_training ? fmt::format("declare it: data.columns = [\"{}:numeric\"]", name(c))
                                : std::string("correct the cell, or train with this column declared numeric"));
    if (rules_.schema.values == CellValues::kBytes && (value < 0 || value > 255 || value != std::floor(value)))
      refuse(r, c, fmt::format("holds {}, but the model was trained on bytes", value),
             "write whole numbers from 0 to 255");
  }

  Feature category_at(std::size_t r, std::size_t c, std::string_view cell) const {
    const auto& ranks = categories_[c];
    if (const auto found = ranks.find(cell); found != ranks.end()) return {found->second, 1};
    const std::vector<std::string>& categories = rules_.schema.columns[c].categories;
    if (is_missing(cell)) {
      // Files write a missing value in different ways; any of them is the category that stands for it.
      const auto missing = std::ranges::find_if(categories, [](const std::string& text) { return is_missing(text); });
      if (missing != categories.end()) return {static_cast<std::size_t>(missing - categories.begin()), 1};
      refuse(r, c, "has no value, and in training it always had one", "fill it in or remove the row");
    }
    if (rules_.schema.ignores_unknown) return {};
    refuse(
        r, c,
        fmt::format("holds {}, which is not among its categories {}", quote_cell(cell), some_of(readable(categories))),
        rules_.in_training ? std::string("correct the cell, list every category in data.columns, or set data.unknown")
                           : advice(r, "correct the cell"));
  }

  std::uint16_t label_at(std::size_t r) const {
    const std::string_view cell = table_.at(r, places_.label);
    if (const auto found = classes_.find(printable(cell)); found != classes_.end())
      return static_cast<std::uint16_t>(found->second);
    if (is_missing_label(cell)) {
      if (!rules_.needs_labels) return kNoLabel;
      refuse_missing_label(table_, r);
    }
    throw Error(fmt::format("{}, line {}: {} holds the class {}, which the model does not know; it knows {}",
                            table_.name, table_.lines[r], quoted(rules_.schema.label), quote_cell(cell),
                            some_of(rules_.class_names)));
  }

  float target_at(std::size_t r) const {
    const std::string_view cell = table_.at(r, places_.label);
    if (const std::optional<double> value = number_in(cell)) return static_cast<float>(*value);
    if (is_missing_label(cell) && !rules_.needs_labels) return std::numeric_limits<float>::quiet_NaN();
    throw Error(
        fmt::format("{}, line {}: {} holds {}, but the value to predict must be a number; correct the "
                    "cell or remove the row",
                    table_.name, table_.lines[r], quoted(rules_.schema.label), quote_cell(cell)));
  }

  const std::string& name(std::size_t c) const { return rules_.schema.columns[c].name; }
  // Names of the header are quoted; "column 3" is no name.
  std::string quoted(const std::string& name) const {
    return rules_.schema.has_header ? fmt::format("column '{}'", name) : name;
  }

  // A first row that does not fit may be a header that nobody recognized.
  std::string advice(std::size_t r, std::string_view usual) const {
    if (!places_.by_position || r > 0) return std::string(usual);
    return fmt::format("{}; columns are taken by position, so a header must not be there", usual);
  }

  [[noreturn]] void refuse(std::size_t r, std::size_t c, const std::string& what, const std::string& way_out) const {
    throw Error(fmt::format("{}, line {}: {} {}; {}", table_.name, table_.lines[r], quoted(name(c)), what, way_out));
  }

  const FieldTable& table_;
  const RowRules& rules_;
  Places places_;
  std::vector<FeatureRange> ranges_;
  std::vector<std::unordered_map<std::string_view, std::size_t>> categories_;  // [column]
  std::unordered_map<std::string, std::size_t> classes_;
};

}  // namespace

bool is_missing_label(std::string_view cell) {
  constexpr std::array<std::string_view, 6> kMissing = {"", "?", "NA", "N/A", "NaN", "nan"};
  return std::ranges::find(kMissing, cell) != kMissing.end();
}

void refuse_missing_label(const FieldTable& table, std::size_t row) {
  throw Error(
      fmt::format("{}, line {}: the label is missing; fill it in or remove the row", table.name, table.lines[row]));
}

Examples read_rows(FieldTable table, const RowRules& rules) {
  Places places = Matcher(rules, table).match();
  if (table.rows() == 0) throw Error(fmt::format("{} has a header but no rows", table.name));
  if (rules.needs_labels && places.label == kNowhere)
    throw Error(fmt::format("{} has no label column '{}'; add it", table.name, rules.schema.label));
  return RowFiller(table, rules, std::move(places)).fill();
}

}  // namespace firn::data
