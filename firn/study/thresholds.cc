#include "firn/study/thresholds.h"

#include <fmt/format.h>

#include <limits>

namespace firn::study {

namespace {

// What the schema says about the values of each feature.
void describe_values(const Schema& schema, std::vector<ThresholdGroup>& groups) {
  const float set = schema.values == CellValues::kReals ? 1 : 255;
  const std::vector<FeatureRange> ranges = feature_ranges(schema);
  for (std::size_t c = 0; c < ranges.size(); ++c) {
    const SchemaColumn& column = schema.columns[c];
    const bool bits = schema.values == CellValues::kBits;
    for (std::size_t f = ranges[c].first; f < ranges[c].first + ranges[c].count; ++f) {
      if (bits || column.kind == ColumnKind::kCategorical) groups[f].flag = set;
      if (column.fill) groups[f].fill = static_cast<float>(*column.fill) * (bits ? set : 1);
    }
  }
}

}  // namespace

std::vector<std::string> feature_names_of(const CircuitModel& model) {
  return model.schema ? feature_names(*model.schema) : std::vector<std::string>();
}

std::vector<ThresholdGroup> threshold_groups(const CircuitModel& model) {
  const Matrix<float>& thresholds = model.encoder.thresholds();
  const std::vector<std::string> names = feature_names_of(model);
  const std::size_t features = model.encoder.input_shape().size(), shared = features / thresholds.cols();
  const std::size_t size = names.empty() ? shared : 1;
  std::vector<ThresholdGroup> groups;
  for (std::size_t first = 0; first < features; first += size) {
    const std::size_t c = first / shared;
    ThresholdGroup group{fmt::format("channel {}", c), first, size, {}};
    if (size == features && features > 1) group.name = "every feature";
    if (size == 1) group.name = first < names.size() ? names[first] : fmt::format("feature {}", first);
    for (std::size_t t = 0; t < thresholds.rows(); ++t) group.thresholds.push_back(thresholds[t][c]);
    groups.push_back(std::move(group));
  }
  if (!names.empty()) describe_values(*model.schema, groups);
  return groups;
}

Comparators input_comparators(const CircuitModel& model, const InputFormat& format) {
  Comparators comparators = comparators_of(model.encoder, format);
  if (format.kind != InputFormat::Kind::kFloat || !model.schema) return comparators;
  bool any = false;
  for (const ThresholdGroup& group : threshold_groups(model)) {
    comparators.fills.push_back(group.fill.value_or(std::numeric_limits<float>::lowest()));
    any = any || group.fill;
  }
  if (!any) comparators.fills.clear();
  return comparators;
}

}  // namespace firn::study
