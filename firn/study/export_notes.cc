#include "firn/study/export_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firn/exchange/comment.h"
#include "firn/study/thresholds.h"

namespace firn::study {

namespace {

using Kind = InputFormat::Kind;

std::string layout_note(const Shape& shape) {
  if (shape.height == 1 && shape.width == 1) return fmt::format("A sample has {} features.", shape.channels);
  return fmt::format("A sample has {} channels of {} x {}; feature f is channel * {} + line * {} + column.",
                     shape.channels, shape.height, shape.width, shape.height * shape.width, shape.width);
}

std::string fixed_range(const InputFormat& format) {
  const double half = std::ldexp(1.0, static_cast<int>(format.integer) - 1);
  return fmt::format("divided by {}, from {} to {}", std::uint64_t{1} << format.fraction, -half,
                     half - std::ldexp(1.0, -static_cast<int>(format.fraction)));
}

// Features that arrive as numbers of a language.
std::string number_note(const InputFormat& format) {
  if (format.kind == Kind::kByte) return "Feature f is features[f], a byte.";
  if (format.kind == Kind::kFloat)
    return "Feature f is features[f], a float; what is not a number (NaN) is above no threshold.";
  return fmt::format("Feature f is features[f] {}; a number outside this range counts as the nearest one inside.",
                     fixed_range(format));
}

// Features that arrive bit by bit.
std::string bits_note(const InputFormat& format) {
  const std::string bit = fmt::format("Input x[{} * f + b] is bit b (0 is the least significant) of ", format.bits());
  if (format.kind == Kind::kByte) return bit + "the byte of feature f.";
  if (format.kind == Kind::kFloat)
    return bit + "feature f as an IEEE 754 single; what is not a number (NaN) is above no threshold.";
  return bit + fmt::format("feature f, a two's complement number {}.", fixed_range(format));
}

std::string output_note(const CircuitModel& model, HeadForm form, bool numbers) {
  const bool head = form != HeadForm::kNone;
  const std::size_t groups = model.network.head.groups;
  if (const Head& sum = model.network.head; sum.is_value) {
    const std::string value = fmt::format("value = {} + {} * count", sum.offset, sum.factor);
    if (head && numbers) return fmt::format("The result is a count, not a class: {}.", value);
    if (head) return fmt::format("Output y[b] is bit b (0 is the least significant) of a count: {}.", value);
    return fmt::format("The outputs that are set are counted: {}.", value);
  }
  const char* ties = groups == 1 ? "" : "; ties go to the lowest class";
  if (form == HeadForm::kOneHot)
    return fmt::format("Output y[c] is 1 where c is the predicted class, and 0 elsewhere{}.", ties);
  if (head && numbers) return fmt::format("The result is the number of the predicted class{}.", ties);
  if (head) return fmt::format("Output y[b] is bit b (0 is the least significant) of the predicted class{}.", ties);
  if (groups == 1) {
    const Head& sums = model.network.head;
    return fmt::format("The class sum is {} + {} * (outputs that are set); class 1 where it is above {}.", sums.offset,
                       sums.factor, sums.threshold);
  }
  return fmt::format(
      "Outputs come in {} equal groups, one for each class in order; the class with most outputs set wins, the lowest "
      "on ties.",
      groups);
}

std::string class_note(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t c = 0; c < names.size(); ++c)
    list += fmt::format("{}{} \"{}\"", c == 0 ? "" : ", ", c, in_comment(names[c]));
  return fmt::format("Classes: {}.", list);
}

// A fixed-point threshold is shown with the number that a feature must exceed.
std::string limit_note(float threshold, std::int64_t limit) {
  if (limit == Comparators::kAlways) return fmt::format("{} (always above)", threshold);
  if (limit == Comparators::kNever) return fmt::format("{} (never above)", threshold);
  return fmt::format("{} ({})", threshold, limit);
}

void append_thresholds(std::vector<std::string>& lines, const CircuitModel& model,
                       const std::vector<std::string>& names, const std::optional<InputFormat>& input) {
  const bool fixed = input && input->kind == Kind::kFixed;
  Comparators comparators;
  if (fixed) comparators = comparators_of(model.encoder, *input);
  lines.push_back(fmt::format("A bit is 1 where its feature is above (>) its threshold. Thresholds, t from 0{}:",
                              fixed ? ", and the fixed-point number that a feature must exceed" : ""));
  for (const ThresholdGroup& group : threshold_groups(model)) {
    std::string list;
    for (std::size_t t = 0; t < group.thresholds.size(); ++t)
      list += (t == 0 ? "" : ", ") +
              (fixed ? limit_note(group.thresholds[t], comparators.limits[t * comparators.features + group.first])
                     : fmt::format("{}", group.thresholds[t]));
    const bool named = group.count == 1 && group.first < names.size();
    lines.push_back(named ? fmt::format("  feature {} \"{}\": {}", group.first, in_comment(group.name), list)
                          : fmt::format("  {}: {}", group.name, list));
  }
}

// Consecutive features that are flags of one column, or all of them.
void append_flags(std::vector<std::string>& lines, const std::vector<ThresholdGroup>& groups) {
  for (std::size_t f = 0; f < groups.size();) {
    std::size_t end = f;
    while (end < groups.size() && groups[end].flag) ++end;
    if (end > f) {
      const std::string which = end == f + 1
                                    ? fmt::format("Feature {} (\"{}\") is", f, in_comment(groups[f].name))
                                    : fmt::format("Features {} to {} (\"{}\" to \"{}\") are", f, end - 1,
                                                  in_comment(groups[f].name), in_comment(groups[end - 1].name));
      lines.push_back(fmt::format("{} {} where set, and 0 elsewhere.", which, *groups[f].flag));
    }
    f = end + 1;
  }
}

void append_fills(std::vector<std::string>& lines, const std::vector<ThresholdGroup>& groups,
                  const std::optional<InputFormat>& input) {
  if (std::ranges::none_of(groups, [](const ThresholdGroup& g) { return g.fill.has_value(); })) return;
  lines.push_back(input && input->kind == Kind::kFloat
                      ? "Missing values (NaN) of these features are filled in here, as the model does, with:"
                      : "Missing values of these features must be filled in by the caller, as the model does, with:");
  for (const ThresholdGroup& group : groups)
    if (group.fill)
      lines.push_back(fmt::format("  feature {} \"{}\": {}", group.first, in_comment(group.name), *group.fill));
}

}  // namespace

std::vector<std::string> input_notes(const CircuitModel& model, const std::optional<InputFormat>& input, bool numbers) {
  std::vector<std::string> lines;
  if (input)
    lines.push_back(numbers ? number_note(*input) : bits_note(*input));
  else
    lines.push_back(fmt::format("Input x[t * {} + f] is 1 where feature f is above threshold t, t from 0 to {}.",
                                model.encoder.input_shape().size(), model.encoder.thresholds().rows() - 1));
  const std::vector<ThresholdGroup> groups = threshold_groups(model);
  append_flags(lines, groups);
  append_fills(lines, groups, input);
  return lines;
}

std::vector<std::string> export_notes(const CircuitModel& model, const FormatEntry& format, const ExportParams& params,
                                      const std::optional<InputFormat>& input, const Blueprint& blueprint) {
  const Netlist& netlist = blueprint.netlist;
  const bool numbers = blueprint.surroundings.has_value();
  std::vector<std::string> lines = {
      fmt::format("{} from {}: {}.", kFirstNote, in_comment(params.source), contents(params.with_encoder, params.head)),
      fmt::format("{} inputs, {} outputs, {} gates; {}.", netlist.inputs, netlist.outputs.size(), netlist.gates.size(),
                  format.summary),
      layout_note(model.encoder.input_shape())};
  lines.insert(lines.end(), blueprint.input_notes.begin(), blueprint.input_notes.end());
  lines.push_back(output_note(model, params.head, numbers));
  if (!blueprint.class_names.empty()) lines.push_back(class_note(blueprint.class_names));
  append_thresholds(lines, model, blueprint.feature_names, input);
  if (input)
    if (const std::string lost = loss_sentence(model.encoder, *input); !lost.empty()) lines.push_back(lost);
  return lines;
}

}  // namespace firn::study
