#include "firn/report/json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace firn::report {
namespace {

using nlohmann::json;

constexpr int kDigits = 6;         // of numbers that are compared with files
constexpr int kPlottedDigits = 4;  // of neurons, which are only drawn

json number(double value, int digits = kDigits) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

json numbers(const std::vector<double>& values, int digits = kDigits) {
  json list = json::array();
  for (double value : values) {
    const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
    list.push_back(whole ? json(static_cast<std::int64_t>(value)) : number(value, digits));
  }
  return list;
}

json named(const std::vector<NamedValues>& columns, int digits) {
  json object = json::array();
  for (const NamedValues& column : columns)
    object.push_back({{"name", column.name}, {"values", numbers(column.values, digits)}});
  return object;
}

json to_json(const Estimate& e) {
  json object = {{"value", e.value ? number(*e.value) : json(nullptr)}};
  if (e.low) object["low"] = number(*e.low);
  if (e.high) object["high"] = number(*e.high);
  if (e.deviation) object["sd"] = number(*e.deviation);
  if (e.count != 1) object["count"] = e.count;
  return object;
}

json to_json(const std::array<Estimate, 3>& quantiles) {
  return {to_json(quantiles[0]), to_json(quantiles[1]), to_json(quantiles[2])};
}

json to_json(const std::optional<TestScore>& score) {
  if (!score) return nullptr;
  return {{"step", number(score->step)},
          {"relaxed_accuracy", number(score->relaxed_accuracy)},
          {"relaxed_loss", number(score->relaxed_loss)},
          {"discrete_accuracy", number(score->discrete_accuracy)},
          {"discrete_loss", number(score->discrete_loss)},
          {"frozen", number(score->frozen)}};
}

json to_json(const LearningCurve& curve) {
  return {{"step", numbers(curve.step)},
          {"train_loss", numbers(curve.train_loss)},
          {"relaxed_loss", numbers(curve.relaxed_loss)},
          {"relaxed_accuracy", numbers(curve.relaxed_accuracy)},
          {"discrete_loss", numbers(curve.discrete_loss)},
          {"discrete_accuracy", numbers(curve.discrete_accuracy)},
          {"ms_per_step", numbers(curve.ms_per_step, kPlottedDigits)}};
}

json to_json(const FreezingCurve& curve) {
  return {{"step", numbers(curve.step)},
          {"all", numbers(curve.all, kPlottedDigits)},
          {"layers", named(curve.layers, kPlottedDigits)}};
}

json to_json(const FreezeEvents& events) {
  return {{"layer", events.layer},
          {"neurons", events.neurons},
          {"stride", events.stride},
          {"neuron", numbers(events.neuron)},
          {"step", numbers(events.step)},
          {"gate", numbers(events.gate)},
          {"score", numbers(events.score, kPlottedDigits)},
          {"entropy", numbers(events.entropy, kPlottedDigits)}};
}

json to_json(const AnswersRecord::Network& network) {
  json bins = json::array();
  for (std::size_t b = 0; b < network.bin_count.size(); ++b)
    bins.push_back({{"count", network.bin_count[b]},
                    {"probability", number(network.bin_probability[b])},
                    {"accuracy", number(network.bin_accuracy[b])}});
  return {{"confusion", network.confusion}, {"bins", bins}};
}

json to_json(const std::vector<AnswersRecord::Shown>& shown) {
  json list = json::array();
  for (const AnswersRecord::Shown& one : shown)
    list.push_back({{"number", one.number},
                    {"label", one.label},
                    {"relaxed", one.relaxed},
                    {"discrete", one.discrete},
                    {"relaxed_probability", number(one.relaxed_probability, kPlottedDigits)},
                    {"discrete_probability", number(one.discrete_probability, kPlottedDigits)}});
  return list;
}

json to_json(const std::optional<AnswersRecord>& answers) {
  if (!answers) return nullptr;
  return {{"split", answers->split},
          {"examples", answers->examples},
          {"available", answers->available},
          {"classes", answers->classes},
          {"relaxed", to_json(answers->relaxed)},
          {"discrete", to_json(answers->discrete)},
          {"disagreements", to_json(answers->disagreements)},
          {"mistakes", to_json(answers->mistakes)},
          {"all_disagreements", answers->all_disagreements},
          {"all_mistakes", answers->all_mistakes},
          {"shape", answers->shape},
          {"pixels", answers->pixels}};
}

json to_json(const RunRecord& run) {
  json config = json::array(), gates = json::array(), freezes = json::array();
  for (const FreezeEvents& events : run.freezes) freezes.push_back(to_json(events));
  for (const auto& [key, value] : run.config) config.push_back({key, value});
  for (const LayerGates& layer : run.gates)
    gates.push_back({{"name", layer.name}, {"before", layer.before}, {"after", layer.after}});
  return {{"name", run.name},
          {"folder", run.folder},
          {"config", config},
          {"learning", to_json(run.learning)},
          {"freezing", to_json(run.freezing)},
          {"last", to_json(run.last)},
          {"best", to_json(run.best)},
          {"gates", gates},
          {"no_gates", run.no_gates},
          {"freezes", freezes},
          {"answers", to_json(run.answers)},
          {"no_answers", run.no_answers},
          {"drawing", run.drawing},
          {"checkpoint_bytes", number(run.checkpoint_bytes, 12)}};
}

json to_json(const SweepRecord& sweep) {
  json points = json::array(), workers = json::array();
  for (const PointRecord& point : sweep.points) points.push_back({{"values", point.values}, {"run", point.run}});
  for (const WorkerRecord& worker : sweep.workers)
    workers.push_back({{"name", worker.name},
                       {"run", worker.run},
                       {"step", worker.step},
                       {"steps", worker.steps},
                       {"rate", number(worker.rate, 4)},
                       {"quiet", number(worker.quiet, 4)},
                       {"is_gone", worker.is_gone}});
  return {{"name", sweep.name}, {"folder", sweep.folder}, {"axes", sweep.axes},
          {"points", points},   {"runs", sweep.runs},     {"workers", workers}};
}

json to_json(const EffectsRow& row) {
  return {{"layer", row.layer},
          {"neurons", to_json(row.neurons)},
          {"entropy", to_json(row.entropy)},
          {"selected", to_json(row.selected)},
          {"argmax", to_json(row.argmax)},
          {"argmax_displacement", to_json(row.argmax_displacement)},
          {"selected_displacement", to_json(row.selected_displacement)}};
}

json to_json(const LocalityRow& row) {
  return {{"layer", row.layer},
          {"neurons", to_json(row.neurons)},
          {"first_rank", to_json(row.first_rank)},
          {"second_rank", to_json(row.second_rank)},
          {"first_error", to_json(row.first_error)},
          {"second_error", to_json(row.second_error)}};
}

json to_json(const ErrorBin& bin) {
  return {{"from", to_json(bin.from)},
          {"to", to_json(bin.to)},
          {"slots", to_json(bin.slots)},
          {"first_error", to_json(bin.first_error)},
          {"second_error", to_json(bin.second_error)}};
}

json to_json(const WinRow& row) {
  return {{"fraction", to_json(row.fraction)},
          {"choices", to_json(row.choices)},
          {"same_half", to_json(row.same_half)},
          {"other_half", to_json(row.other_half)}};
}

json to_json(const GapRow& row) {
  return {{"layer", row.layer},          {"neurons", to_json(row.neurons)},   {"frozen", to_json(row.frozen)},
          {"loss", to_json(row.loss)},   {"accuracy", to_json(row.accuracy)}, {"constants", to_json(row.constants)},
          {"wires", to_json(row.wires)}, {"dead", to_json(row.dead)}};
}

json to_json(const FlipRow& row);  // these have lists themselves
json to_json(const DiagnosisRecord& d);

template <class Record>
json list_of(const std::vector<Record>& records) {
  json list = json::array();
  for (const Record& record : records) list.push_back(to_json(record));
  return list;
}

json to_json(const FlipRow& row) {
  return {{"layer", row.layer},
          {"gates", to_json(row.gates)},
          {"flips", to_json(row.flips)},
          {"without_effect", to_json(row.without_effect)},
          {"lower", to_json(row.lower)},
          {"lower_held_out", to_json(row.lower_held_out)},
          {"significant", to_json(row.significant)},
          {"significant_held_out", to_json(row.significant_held_out)},
          {"significant_gates", to_json(row.significant_gates)},
          {"held_out", to_json(row.held_out)},
          {"score", to_json(row.score)},
          {"relaxed_effect", to_json(row.relaxed_effect)},
          {"entropy", to_json(row.entropy)},
          {"fitting_counts", list_of(row.fitting_counts)},
          {"held_out_counts", list_of(row.held_out_counts)}};
}

json to_json(const DiagnosisRecord& d) {
  return {{"name", d.name},
          {"folder", d.folder},
          {"checkpoint", d.checkpoint},
          {"split", d.split},
          {"is_average", d.is_average},
          {"step", to_json(d.step)},
          {"samples", to_json(d.samples)},
          {"effects", list_of(d.effects)},
          {"locality", list_of(d.locality)},
          {"bins", list_of(d.bins)},
          {"wins", list_of(d.wins)},
          {"gaps", list_of(d.gaps)},
          {"relaxed_loss", to_json(d.relaxed_loss)},
          {"relaxed_accuracy", to_json(d.relaxed_accuracy)},
          {"discrete_loss", to_json(d.discrete_loss)},
          {"discrete_accuracy", to_json(d.discrete_accuracy)},
          {"flips", list_of(d.flips)},
          {"flip_edges", list_of(d.flip_edges)},
          {"fitting_examples", to_json(d.fitting_examples)},
          {"held_out_examples", to_json(d.held_out_examples)},
          {"layers", d.layers},
          {"neuron_layer", d.neuron_layer},
          {"neurons", named(d.neurons, kPlottedDigits)},
          {"stride", d.stride}};
}

}  // namespace

std::string to_json_text(const ReportRecord& report) {
  const json document = {{"title", report.title},
                         {"live", report.live},
                         {"overlay", report.overlay},
                         {"runs", list_of(report.runs)},
                         {"sweeps", list_of(report.sweeps)},
                         {"diagnoses", list_of(report.diagnoses)}};
  return document.dump(/*indent=*/-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
}

}  // namespace firn::report
