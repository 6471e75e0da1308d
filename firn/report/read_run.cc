#include "firn/report/read_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string_view>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/folder_name.h"
#include "firn/base/parse_json.h"
#include "firn/base/table_sums.h"
#include "firn/base/toml.h"
#include "firn/report/table_file.h"
#include "firn/train/run_folder.h"
#include "firn/train/test_result.h"

namespace firn::report {
namespace {

using nlohmann::json;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMaxEvaluations = 2000;  // of a curve; a screen has no more columns
constexpr std::size_t kMaxFreezeSteps = 150;
constexpr std::size_t kMaxFilmed = 4000;  // neurons of a layer

// The number at the end of a path of keys, or NaN.
template <class... Keys>
double number_at(const json& object, Keys... keys) {
  const json* at = &object;
  for (const char* key : {keys...}) {
    if (!at->is_object() || !at->contains(key)) return kMissing;
    at = &(*at)[key];
  }
  return at->is_number() ? at->get<double>() : kMissing;
}

// At most `limit` of the positions 0 to count - 1, evenly spread, the first and the last among them.
std::vector<std::size_t> thinned(std::size_t count, std::size_t limit) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < std::min(count, limit); ++i)
    kept.push_back(count <= limit ? i : i * (count - 1) / (limit - 1));
  return kept;
}

void flatten(const toml::table& table, const std::string& prefix,
             std::vector<std::pair<std::string, std::string>>& out) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      flatten(*inner, name + ".", out);
    } else if (const auto text = node.value<std::string>(); text && node.is_string()) {
      out.emplace_back(name, *text);
    } else {
      std::ostringstream value;
      node.visit([&](const auto& v) { value << v; });
      out.emplace_back(name, value.str());
    }
  }
}

std::vector<std::pair<std::string, std::string>> read_config(const std::filesystem::path& file) {
  std::vector<std::pair<std::string, std::string>> config;
  if (!std::filesystem::exists(file)) return config;
  const std::string text = read_text(file);
  try {
    flatten(parse_toml(text, file.string()), "", config);
  } catch (const Error& error) {
    throw Error(fmt::format("{}; restore the file, or move it away", error.what()));
  }
  return config;
}

std::vector<json> read_metrics(const std::filesystem::path& file) {
  std::vector<json> rows;
  if (!std::filesystem::exists(file)) return rows;
  const std::string text = read_checked_table(file);
  std::size_t line = 1;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1, ++line) {
    json row = parse_json(std::string_view(text).substr(at, end - at));
    if (!std::isfinite(number_at(row, "step")))
      throw Error(fmt::format("{}, line {}: this is no evaluation of a run; restore the file, or move it away",
                              file.string(), line));
    rows.push_back(std::move(row));
  }
  return rows;
}

LearningCurve learning_curve(const std::vector<json>& rows) {
  LearningCurve curve;
  for (std::size_t i : thinned(rows.size(), kMaxEvaluations)) {
    curve.step.push_back(number_at(rows[i], "step"));
    curve.train_loss.push_back(number_at(rows[i], "train_loss"));
    curve.relaxed_loss.push_back(number_at(rows[i], "relaxed", "loss"));
    curve.relaxed_accuracy.push_back(number_at(rows[i], "relaxed", "accuracy"));
    curve.discrete_loss.push_back(number_at(rows[i], "discrete", "loss"));
    curve.discrete_accuracy.push_back(number_at(rows[i], "discrete", "accuracy"));
    curve.ms_per_step.push_back(number_at(rows[i], "ms_per_step"));
  }
  return curve;
}

// A fraction that evaluations report now and then, made exact in between by the log of freezes.
class FrozenFraction {
 public:
  void evaluate(double step, double fraction) {
    if (std::isfinite(fraction)) evaluations_[step] = fraction;
  }
  void freeze(double step) { ++counts_[step]; }

  // How many neurons there are follows from a fraction and the count of freezes up to its step.
  void settle() {
    double total = 0;
    for (auto& [step, count] : counts_) count = total += count;
    for (const auto& [step, fraction] : evaluations_)
      if (fraction > 0 && frozen_by(step) > 0) neurons_ = std::round(frozen_by(step) / fraction);
  }

  double at(double step) const {
    return neurons_ > 0 ? std::min(1.0, frozen_by(step) / neurons_) : value_by(evaluations_, step);
  }

 private:
  static double value_by(const std::map<double, double>& values, double step) {
    const auto after = values.upper_bound(step);
    return after == values.begin() ? 0 : std::prev(after)->second;
  }
  double frozen_by(double step) const { return value_by(counts_, step); }

  std::map<double, double> evaluations_;
  std::map<double, double> counts_;  // freezes at a step; after settle() up to and including it
  double neurons_ = 0;               // 0: nobody knows
};

FreezingCurve freezing_curve(const std::vector<json>& rows, const std::filesystem::path& freezes) {
  FrozenFraction all;
  std::map<std::string, FrozenFraction> layers;
  std::vector<std::string> order;
  std::set<double> steps, freeze_steps;
  for (std::size_t i : thinned(rows.size(), kMaxEvaluations)) {
    const double step = number_at(rows[i], "step");
    steps.insert(step);
    all.evaluate(step, number_at(rows[i], "frozen"));
    if (!rows[i].contains("layers") || !rows[i]["layers"].is_array()) continue;
    for (const json& layer : rows[i]["layers"]) {
      if (!layer.is_object() || !layer.contains("name") || !layer["name"].is_string()) continue;
      const std::string name = layer["name"];
      if (!layers.contains(name)) order.push_back(name);
      layers[name].evaluate(step, number_at(layer, "frozen"));
    }
  }
  if (std::filesystem::exists(freezes)) {
    const TableFile table(freezes);
    for (std::size_t r = 0; r < table.rows(); ++r) {
      const auto step = static_cast<double>(table.whole(r, table.column("step")));
      const auto layer = layers.find(std::string(table.text(r, table.column("layer"))));
      if (layer == layers.end()) continue;  // no evaluation yet
      freeze_steps.insert(step);
      all.freeze(step);
      layer->second.freeze(step);
    }
  }
  const std::vector<double> frozen_at(freeze_steps.begin(), freeze_steps.end());
  for (std::size_t i : thinned(frozen_at.size(), kMaxFreezeSteps)) steps.insert(frozen_at[i]);
  if (!steps.empty()) steps.insert(0);
  all.settle();
  FreezingCurve curve;
  curve.step.assign(steps.begin(), steps.end());
  for (double step : curve.step) curve.all.push_back(all.at(step));
  for (const std::string& name : order) {
    layers[name].settle();
    NamedValues& values = curve.layers.emplace_back(NamedValues{name, {}});
    for (double step : curve.step) values.values.push_back(layers[name].at(step));
  }
  return curve;
}

// The layers in the order of their first freeze; how many neurons they have is known by the largest number.
std::vector<FreezeEvents> freeze_events(const std::filesystem::path& file) {
  std::vector<FreezeEvents> layers;
  if (!std::filesystem::exists(file)) return layers;
  const TableFile table(file);
  const std::size_t neuron = table.column("neuron"), step = table.column("step"), opcode = table.column("opcode"),
                    score = table.column("score"), entropy = table.column("entropy");
  std::map<std::string, std::vector<std::size_t>, std::less<>> rows_of;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::string layer(table.text(r, table.column("layer")));
    if (!rows_of.contains(layer)) layers.emplace_back().layer = layer;
    rows_of[layer].push_back(r);
  }
  for (FreezeEvents& events : layers) {
    const std::vector<std::size_t>& rows = rows_of[events.layer];
    for (const std::size_t r : rows) events.neurons = std::max(events.neurons, table.whole(r, neuron) + 1);
    events.stride = (events.neurons + kMaxFilmed - 1) / kMaxFilmed;
    for (const std::size_t r : rows) {
      if (table.whole(r, neuron) % events.stride != 0) continue;
      events.neuron.push_back(static_cast<double>(table.whole(r, neuron)));
      events.step.push_back(static_cast<double>(table.whole(r, step)));
      events.gate.push_back(static_cast<double>(table.whole(r, opcode)));
      events.score.push_back(table.number(r, score));
      events.entropy.push_back(table.number(r, entropy));
    }
  }
  return layers;
}

TestScore test_score(const TestRow& row) {
  return {static_cast<double>(row.step), row.relaxed.accuracy, row.relaxed.loss,
          row.discrete.accuracy,         row.discrete.loss,    row.frozen};
}

}  // namespace

bool is_run_folder(const std::filesystem::path& folder) {
  return std::filesystem::is_directory(folder) &&
         (std::filesystem::exists(folder / "metrics.jsonl") || std::filesystem::exists(folder / "config.toml"));
}

RunRecord read_run(const std::filesystem::path& path) {
  FIRN_CHECK(is_run_folder(path));
  const RunFolder folder(path);
  RunRecord run;
  run.folder = path.string();
  run.name = folder_name(path);
  run.config = read_config(folder.config());
  const std::vector<json> metrics = read_metrics(folder.metrics());
  run.learning = learning_curve(metrics);
  run.freezing = freezing_curve(metrics, folder.freezes());
  run.freezes = freeze_events(folder.freezes());
  if (std::error_code missing; std::filesystem::exists(folder.last(), missing))
    run.checkpoint_bytes = static_cast<double>(std::filesystem::file_size(folder.last(), missing));
  if (const std::optional<TestResult> result = read_result(folder)) {
    run.last = test_score(result->last);
    if (result->best) run.best = test_score(*result->best);
  }
  return run;
}

}  // namespace firn::report
