#include "firn/diagnose/summary.h"

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace firn::diagnose {

namespace {

using nlohmann::json;

json to_json(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

json to_json(const Correlation& c) {
  return {{"value", to_json(c.value)}, {"interval", {to_json(c.low), to_json(c.high)}}};
}

json to_json(const Risk& risk) {
  return {{"loss", risk.loss}, {"accuracy", risk.accuracy}};
}

json effects_json(const std::vector<EffectSummary>& summaries) {
  json object = json::object();
  for (const EffectSummary& s : summaries)
    object[s.layer] = {
        {"neurons", s.neurons},
        {"spearman",
         {{"entropy", to_json(s.entropy)}, {"selected", to_json(s.selected)}, {"argmax", to_json(s.argmax)}}},
        {"spearman_in_single_precision",
         {{"entropy", to_json(s.entropy_in_single)},
          {"selected", to_json(s.selected_in_single)},
          {"argmax", to_json(s.argmax_in_single)}}},
        {"median_displacement",
         {{"argmax", to_json(s.argmax_displacement)}, {"selected", to_json(s.selected_displacement)}}},
        {"selected_is_not_argmax", s.disagree},
        {"score_has_sign_of_effect", s.same_sign},
        {"argmax_lowers_risk", s.improvable}};
  return object;
}

json locality_json(const Locality& locality) {
  json layers = json::object(), bins = json::array();
  for (const LocalitySummary& s : locality.summaries) {
    json readings = json::object();
    for (const LocalityReading& r : s.readings)
      readings[r.name] = {{"first_order", to_json(r.first_rank)}, {"second_order", to_json(r.second_rank)}};
    layers[s.layer] = {
        {"neurons", s.neurons},
        {"median_spearman_of_error_and_displacement",
         {{"first_order", to_json(s.first_rank)}, {"second_order", to_json(s.second_rank)}}},
        {"median_error", {{"first_order", to_json(s.first_error)}, {"second_order", to_json(s.second_error)}}},
        {"other_readings", readings}};
  }
  const auto quantiles = [](const auto& three) {
    return json{{"p10", to_json(three[0])}, {"p50", to_json(three[1])}, {"p90", to_json(three[2])}};
  };
  for (const DisplacementBin& bin : locality.bins)
    bins.push_back({{"displacement_from", bin.low},
                    {"displacement_to", bin.high},
                    {"slots", bin.slots},
                    {"first_error", quantiles(bin.first_error)},
                    {"second_error", quantiles(bin.second_error)}});
  return {{"layers", layers}, {"bins", bins}, {"forward_against_backward", locality.disagreement}};
}

json held_out_json(const HeldOut& held_out) {
  json rates = json::array();
  for (const WinRate& rate : held_out.rates)
    rates.push_back({{"fraction", rate.fraction},
                     {"choices", rate.choices},
                     {"selected_on_a", {{"wins_on_a", rate.same[0]}, {"wins_on_b", rate.other[0]}}},
                     {"selected_on_b", {{"wins_on_b", rate.same[1]}, {"wins_on_a", rate.other[1]}}},
                     {"wins_on_same_half", (rate.same[0] + rate.same[1]) / 2},
                     {"wins_on_other_half", (rate.other[0] + rate.other[1]) / 2}});
  return {{"rates", rates}};
}

json gaps_json(const LayeredGaps& gaps) {
  json layers = json::object();
  for (const LayerGap& layer : gaps.layers)
    layers[layer.layer] = {{"neurons", layer.neurons},
                           {"frozen", layer.frozen},
                           {"alone_discrete", to_json(layer.discrete)},
                           {"constants", layer.constants},
                           {"wires", layer.wires},
                           {"dead", layer.dead},
                           {"argmax_not_nearest", layer.not_nearest}};
  json object = {{"layers", layers}};
  // What is lost: positive is worse, in loss and in accuracy.
  object["selection_gap"] = to_json(gaps.whole.selection());
  object["computation_gap"] = to_json(gaps.whole.computation());
  object["discretization_gap"] = to_json(gaps.whole.discretization());
  object["relaxed"] = to_json(gaps.whole.relaxed);
  object["argmax_on_reals"] = to_json(gaps.whole.argmax_on_reals);
  object["discrete"] = to_json(gaps.whole.discrete);
  return object;
}

using Leaf = std::function<json(const std::vector<double>&)>;

// Walks summaries of the same build; what the first one has decides, and nulls and missing numbers are passed over.
json combine(const std::vector<json>& summaries, const Leaf& leaf) {
  const auto children = [&](const auto& key) {
    std::vector<json> found;
    for (const json& s : summaries)
      if constexpr (std::is_integral_v<std::decay_t<decltype(key)>>) {
        if (s.is_array() && key < s.size()) found.push_back(s[key]);
      } else {
        if (s.is_object() && s.contains(key)) found.push_back(s[key]);
      }
    return found;
  };
  json result;
  if (summaries.front().is_object()) {
    for (const json& summary : summaries)
      for (const auto& [key, value] : summary.items())
        if (key != "interval" && !result.contains(key)) result[key] = combine(children(key), leaf);
    return result;
  }
  if (summaries.front().is_array()) {
    for (std::size_t i = 0; i < summaries.front().size(); ++i) result.push_back(combine(children(i), leaf));
    return result;
  }
  if (summaries.front().is_string()) return summaries.front();
  std::vector<double> numbers;
  for (const json& s : summaries)
    if (s.is_number()) numbers.push_back(s.get<double>());
  return numbers.empty() ? json(nullptr) : leaf(numbers);
}

double mean(const std::vector<double>& numbers) {
  double sum = 0;
  for (double x : numbers) sum += x;
  return sum / static_cast<double>(numbers.size());
}

}  // namespace

json summary_of(const Diagnosis& diagnosis) {
  json summary = {{"samples", diagnosis.samples}};
  if (diagnosis.relaxed_neurons + diagnosis.frozen_neurons > 0) {
    summary["neurons"] = {{"relaxed", diagnosis.relaxed_neurons}, {"frozen", diagnosis.frozen_neurons}};
    summary["relaxed_loss"] = diagnosis.risk;
    summary["tied_pools"] = to_json(diagnosis.tied);
  }
  if (!diagnosis.effect_summaries.empty()) summary["effects"] = effects_json(diagnosis.effect_summaries);
  if (diagnosis.locality) summary["locality"] = locality_json(*diagnosis.locality);
  if (diagnosis.held_out) summary["heldout"] = held_out_json(*diagnosis.held_out);
  if (diagnosis.gaps) summary["gaps"] = gaps_json(*diagnosis.gaps);
  return summary;
}

json mean_of(const std::vector<json>& summaries) {
  return combine(summaries, [](const std::vector<double>& numbers) { return json(mean(numbers)); });
}

json spread_of(const std::vector<json>& summaries) {
  return combine(summaries, [](const std::vector<double>& numbers) {
    const double middle = mean(numbers);
    double squares = 0;
    for (double x : numbers) squares += (x - middle) * (x - middle);
    const double count = static_cast<double>(numbers.size());
    json sd = nullptr;
    if (numbers.size() > 1) sd = std::sqrt(squares / (count - 1));
    return json{{"mean", middle}, {"sd", sd}, {"count", numbers.size()}};
  });
}

}  // namespace firn::diagnose
