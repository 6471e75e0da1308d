#include "firn/study/same_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "firn/base/error.h"

namespace firn::study {
namespace {

void check_classes(const Dataset& data, const std::vector<std::string>& names, const std::string& name) {
  if (names.empty() || data.class_names.empty() || data.class_names == names) return;
  for (const std::string& other : data.class_names)
    if (std::ranges::find(names, other) == names.end())
      throw Error(
          fmt::format("\"{}\" has the class '{}', which {} does not know; it knows {}; use the data the model was "
                      "trained on",
                      data.name, other, name, fmt::join(names, ", ")));
  throw Error(fmt::format("\"{}\" has the classes {} but {} knows {}; use the data the model was trained on", data.name,
                          fmt::join(data.class_names, ", "), name, fmt::join(names, ", ")));
}

// Columns that become features, in order.
std::vector<SchemaColumn> feature_columns(const Schema& schema) {
  std::vector<SchemaColumn> columns = schema.columns;
  std::erase_if(columns, [](const SchemaColumn& column) { return column.kind == ColumnKind::kIgnored; });
  return columns;
}

std::string describe_fill(const std::optional<double>& fill) {
  return fill ? fmt::format("become {}", *fill) : "are refused";
}

// The features are alike.
void check_medians(const Dataset& data, const Schema& schema, const std::string& name) {
  const std::vector<SchemaColumn> found = feature_columns(*data.schema), known = feature_columns(schema);
  for (std::size_t c = 0; c < std::min(found.size(), known.size()); ++c)
    if (found[c].fill != known[c].fill)
      throw Error(fmt::format("missing values of '{}' {} in \"{}\" but {} in {}; use the data the model was trained on",
                              found[c].name, describe_fill(found[c].fill), data.name, describe_fill(known[c].fill),
                              name));
}

void check_columns(const Dataset& data, const std::optional<Schema>& schema, const std::string& name) {
  if (!schema || !data.schema) return;
  const std::vector<std::string> features = feature_names(*data.schema), known = feature_names(*schema);
  const std::size_t shorter = std::min(features.size(), known.size());
  for (std::size_t f = 0; f < shorter; ++f)
    if (features[f] != known[f])
      throw Error(
          fmt::format("feature {} of \"{}\" is '{}' but {} was trained with '{}' there; use the data the model "
                      "was trained on",
                      f, data.name, features[f], name, known[f]));
  if (features.size() != known.size() || data.schema->values != schema->values)
    throw Error(fmt::format(
        "the columns of \"{}\" are not those that {} was trained on; use the data it was trained on", data.name, name));
  check_medians(data, *schema, name);
}

}  // namespace

void check_same_samples(const Dataset& data, const Encoder& encoder, const std::string& name) {
  const EncoderParts& parts = encoder.parts();
  const std::string values = data.train.has_reals() ? "reals" : "bytes";
  if (data.shape != parts.input_shape || values != parts.values)
    throw Error(fmt::format("{} is for {} {} per sample but \"{}\" has {} {}; use the data the model was trained on",
                            name, parts.input_shape.size(), parts.values, data.name, data.shape.size(), values));
}

void check_same_data(const Dataset& data, const CircuitModel& model, const std::string& name) {
  check_same_samples(data, model.encoder, name);
  if (data.classes != model.classes())
    throw Error(fmt::format("{} knows {} classes but \"{}\" has {}; use the data the model was trained on", name,
                            model.classes(), data.name, data.classes));
  check_classes(data, model.class_names, name);
  check_columns(data, model.schema, name);
}

void check_same_data(const Dataset& data, const CheckpointHeader& header, const std::string& name) {
  check_classes(data, header.class_names, name);
  check_columns(data, header.schema, name);
}

std::optional<std::string_view> changed_part(const Fingerprints& now, const Fingerprints& before) {
  if (now.train != before.train) return "training examples";
  if (now.test != before.test) return "test examples";
  if (!before.teacher.empty() && now.teacher != before.teacher) return "contents of the teacher's file";
  return std::nullopt;
}

void check_unchanged_data(const Fingerprints& data, const CheckpointHeader& header, const std::string& name) {
  if (!header.data) return;
  if (const auto changed = changed_part(data, *header.data))
    throw Error(fmt::format("the {} have changed since {} was made; restore them, or start a new run", *changed, name));
}

std::optional<std::string> warn_of_changed_split(const Dataset& data, bool is_test,
                                                 const std::optional<Fingerprints>& known, const std::string& file) {
  if (!known || fingerprint_of(is_test ? data.test : data.train) == (is_test ? known->test : known->train))
    return std::nullopt;
  return fmt::format("the {} examples of \"{}\" have changed since {} was trained", is_test ? "test" : "training",
                     data.name, file);
}

}  // namespace firn::study
