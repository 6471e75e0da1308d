#include "firn/study/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "firn/network/kinds/slot_dense.h"
#include "firn/study/check.h"
#include "firn/study/config_values.h"
#include "firn/study/start.h"

namespace firn::study {
namespace {

bool reads_files(const std::string& source) {
  return source == "csv" || source == "table" || source == "npy" || source == "images";
}

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// Keys that begin with `prefix` matter only where `matters` says so; `because` says why not, with the value of `cause`.
struct Rule {
  std::string_view prefix;
  bool (*matters)(const Config&);
  std::string_view cause;
};

constexpr Rule kRules[] = {
    {"data.file", [](const Config& c) { return reads_files(c.data.source); }, "data.source"},
    {"data.test_file", [](const Config& c) { return reads_files(c.data.source); }, "data.source"},
    {"data.label_column",
     [](const Config& c) {
       return is_one_of(c.data.source, {"csv", "table"});
     },
     "data.source"},
    {"data.layout", [](const Config& c) { return c.data.source == "npy"; }, "data.source"},
    {"data.synthetic.",
     [](const Config& c) {
       return is_one_of(c.data.source, {"parity", "majority", "teacher"});
     },
     "data.source"},
    {"encode.thresholds", [](const Config& c) { return find_encoding(c.encode.encoding).is_thermometer; },
     "encode.encoding"},
    {"encode.bits", [](const Config& c) { return find_encoding(c.encode.encoding).is_thermometer; }, "encode.encoding"},
    {"encode.scope", [](const Config& c) { return c.encode.encoding == "distributive"; }, "encode.encoding"},
    {"model.layers", [](const Config& c) { return c.model.family == "dense"; }, "model.family"},
    {"model.head_multiplier", [](const Config& c) { return c.model.family == "treelogicnet"; }, "model.family"},
    {"model.tree_depth", [](const Config& c) { return c.model.family == "treelogicnet"; }, "model.family"},
    {"model.topology", [](const Config& c) { return c.model.family == "treelogicnet"; }, "model.family"},
    {"model.first_channels", [](const Config& c) { return c.model.family == "treelogicnet"; }, "model.family"},
    {"model.channels", [](const Config& c) { return c.model.family == "treelogicnet"; }, "model.family"},
    {"model.wiring",
     [](const Config& c) {
       return is_one_of(c.model.family, {"treelogicnet", "dense"});
     },
     "model.family"},
    {"model.residual", [](const Config& c) { return c.model.init == "residual"; }, "model.init"},
    {"train.teacher_", [](const Config& c) { return !c.train.teacher.file.empty(); }, "train.teacher"},
    {"train.teacher_form", [](const Config& c) { return !c.train.teacher.file.ends_with(".safetensors"); },
     "train.teacher"},
    {"train.teacher", [](const Config& c) { return c.train.teacher.weight > 0; }, "train.teacher_weight"},
    {"train.momentum", [](const Config& c) { return c.train.optimizer.name == "sgd"; }, "train.optimizer"},
    {"train.beta", [](const Config& c) { return c.train.optimizer.name != "sgd"; }, "train.optimizer"},
    {"train.weight_decay", [](const Config& c) { return c.train.optimizer.name != "adam"; }, "train.optimizer"},
    {"train.floor", [](const Config& c) { return c.train.schedule.name != "constant"; }, "train.schedule"},
    {"train.step_", [](const Config& c) { return c.train.schedule.name == "step"; }, "train.schedule"},
    {"area.target", [](const Config& c) { return c.area.weight > 0; }, "area.weight"},
    {"freeze.task.", [](const Config& c) { return c.freeze.strategy == "task"; }, "freeze.strategy"},
    {"freeze.entropy.",
     [](const Config& c) {
       return is_one_of(c.freeze.strategy, {"entropy", "layer-entropy"});
     },
     "freeze.strategy"},
    {"freeze.cage.", [](const Config& c) { return c.freeze.strategy == "cage"; }, "freeze.strategy"},
    {"freeze.estimator.",
     [](const Config& c) {
       return is_one_of(c.freeze.strategy, {"hard-st", "gumbel-st", "soft-gumbel", "annealed"});
     },
     "freeze.strategy"},
    {"freeze.refine.", [](const Config& c) { return c.freeze.strategy == "refine"; }, "freeze.strategy"},
};

// A strategy of the user's own may read any of the settings.
bool is_known(const Config& config, const Rule& rule) {
  if (!rule.prefix.starts_with("freeze.")) return true;
  return std::ranges::any_of(standard_parts().strategies,
                             [&](const StrategyEntry& entry) { return entry.name == config.freeze.strategy; });
}

// Only what differs from its default was meant by somebody.
std::vector<std::string> idle_keys(const Config& config) {
  Config defaults;
  defaults.parts = config.parts;
  const std::vector<KeyValue> usual = values_of(defaults), values = values_of(config);
  const auto value_of = [&](std::string_view key) { return std::ranges::find(values, key, &KeyValue::key)->value; };
  std::vector<std::string> sentences;
  for (const Rule& rule : kRules) {
    if (rule.matters(config) || !is_known(config, rule)) continue;
    std::vector<std::string> keys;
    for (const KeyValue& v : values)
      if (v.key.starts_with(rule.prefix) && std::ranges::find(usual, v) == usual.end()) keys.push_back(v.key);
    if (!keys.empty())
      sentences.push_back(fmt::format("{} {} no effect with {} = {}", fmt::join(keys, ", "),
                                      keys.size() == 1 ? "has" : "have", rule.cause, value_of(rule.cause)));
  }
  return sentences;
}

bool has_own_slots(const Model& model) {
  return std::ranges::any_of(model.description().layers, [](const LayerDescription& l) { return l.has_own_slots; });
}

std::optional<std::string> idle_resampling(const Config& config, const Model& model) {
  if (!config.resample.enabled || has_own_slots(model)) return std::nullopt;
  return "resample.enabled = true has no effect: no layer of this network chooses its wires; slot-conv, slot-dense "
         "and slot-select do";
}

std::optional<std::string> idle_candidates(const Config& config) {
  if (config.model.wiring != kLearned || config.resample.enabled) return std::nullopt;
  return "with model.wiring = \"learned\" set resample.enabled = true, else gates only choose among their first "
         "sixteen pairs";
}

// Thresholds that all values or those of a channel share; where each feature has its own, features of few values repeat
// them as a matter of course.
std::optional<std::string> repeated_thresholds(const Config& config, const Encoder& encoder) {
  const Matrix<float>& thresholds = encoder.thresholds();
  if (!encoder.is_binary() || thresholds.cols() == encoder.input_shape().size()) return std::nullopt;
  for (std::size_t g = 0; g < thresholds.cols(); ++g)
    for (std::size_t t = 1; t < thresholds.rows(); ++t) {
      if (thresholds[t][g] != thresholds[t - 1][g]) continue;
      std::vector<float> column;
      for (std::size_t i = 0; i < thresholds.rows(); ++i) column.push_back(thresholds[i][g]);
      return fmt::format(
          "the thresholds {} repeat themselves, and equal thresholds give equal bits; lower encode.thresholds, or set "
          "encode.encoding = \"{}\" instead of \"{}\"",
          fmt::join(column, ", "), config.encode.encoding == "distributive" ? "foreground" : "uniform",
          config.encode.encoding);
    }
  return std::nullopt;
}

// How far the values of a column reach in the training examples.
struct Range {
  float low = INFINITY, high = -INFINITY;
  double width() const { return static_cast<double>(high) - low; }
};

Range range_of(const Experiment& experiment, std::size_t column) {
  Range range;
  for (const std::uint32_t i : experiment.split.train) {
    const float value = experiment.data.train.reals[i][column];
    range = {std::min(range.low, value), std::max(range.high, value)};
  }
  return range;
}

// Thresholds of all columns of a table together say little about any of them, unless all are in one unit.
std::optional<std::string> foreign_thresholds(const Config& config, const Experiment& experiment) {
  constexpr double kFar = 10;  // the widest column over the narrowest
  const Shape& shape = experiment.data.shape;
  const bool table = shape.height == 1 && shape.width == 1 && shape.channels > 1;
  const bool shared = experiment.encoder.is_binary() && experiment.encoder.thresholds().cols() == 1;
  if (!table || !shared || !experiment.data.train.has_reals()) return std::nullopt;
  double narrow = INFINITY, wide = 0;
  for (std::size_t f = 0; f < shape.channels; ++f) {
    const double width = range_of(experiment, f).width();
    if (width == 0) continue;  // a constant has no unit
    narrow = std::min(narrow, width);
    wide = std::max(wide, width);
  }
  if (wide < kFar * narrow || wide == 0) return std::nullopt;
  return fmt::format(
      "all {} columns share their thresholds, although some span {:.3g} and others {:.3g}; set {}encode.scope = "
      "\"feature\" where columns have different units",
      shape.channels, narrow, wide,
      config.encode.encoding == "foreground" ? "encode.encoding = \"distributive\" and " : "");
}

}  // namespace

std::vector<std::string> warnings_about(const Config& config) {
  std::vector<std::string> sentences = idle_keys(config);
  if (auto idle = idle_strategy(config)) sentences.push_back(*std::move(idle));
  return sentences;
}

std::vector<std::string> warnings_about(const Config& config, const Experiment& experiment) {
  std::vector<std::string> sentences = warnings_about(config);
  const auto add = [&](std::optional<std::string> sentence) {
    if (sentence) sentences.push_back(*std::move(sentence));
  };
  add(idle_resampling(config, *experiment.model));
  add(idle_candidates(config));
  add(foreign_thresholds(config, experiment));
  add(repeated_thresholds(config, experiment.encoder));
  for (const std::filesystem::path& file : files_without_checksum(config.train.teacher.file))
    sentences.push_back(no_checksum_sentence(file));
  return sentences;
}

}  // namespace firn::study
