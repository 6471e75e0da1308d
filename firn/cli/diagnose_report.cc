#include "firn/cli/diagnose_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/flip_report.h"
#include "firn/cli/plot.h"
#include "firn/cli/seed_text.h"
#include "firn/cli/shock_report.h"
#include "firn/study/explain.h"
#include "firn/study/words.h"

namespace firn::cli {

namespace {

using Align = TextTable::Align;

std::string signed_number(const std::optional<double>& value) {
  return value ? fmt::format("{:+.3f}", *value) : "-";
}
std::string small_number(const std::optional<double>& value) {
  return value ? fmt::format("{:.2g}", *value) : "-";
}
std::string with_interval(const Correlation& c) {
  return c.value
             ? fmt::format("{:+.3f} [{:+.2f}, {:+.2f}]", *c.value, c.low.value_or(*c.value), c.high.value_or(*c.value))
             : "-";
}
std::string short_percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string effects_report(const Diagnosis& diagnosis) {
  TextTable table({{"layer"},
                   {"neurons", Align::kRight},
                   {"entropy, effect", Align::kRight},
                   {"selected: score, effect", Align::kRight},
                   {"argmax: score, effect", Align::kRight},
                   {"D argmax", Align::kRight},
                   {"D selected", Align::kRight},
                   {"sign right", Align::kRight}});
  for (const EffectSummary& s : diagnosis.effect_summaries)
    table.add({s.layer, format_count(s.neurons), with_interval(s.entropy), with_interval(s.selected),
               with_interval(s.argmax), small_number(s.argmax_displacement), small_number(s.selected_displacement),
               short_percent(s.same_sign)});
  std::vector<double> argmax_score, argmax_effect, selected_score, selected_effect;
  for (const FreezeEffect& e : diagnosis.effects) {
    argmax_score.push_back(e.argmax_score);
    argmax_effect.push_back(e.argmax_effect.effect);
    selected_score.push_back(e.selected_score);
    selected_effect.push_back(e.selected_effect.effect);
  }
  return "Freeze effects: Spearman's correlation with 95 % intervals, median squared displacement D\n\n" + table.str() +
         "\n" +
         draw_cloud(argmax_score, argmax_effect,
                    {"Freezing to the argmax slot", "first-order score", "realized effect on the loss"}) +
         "\n" +
         draw_cloud(
             selected_score, selected_effect,
             {"Freezing to the slot with the lowest score", "first-order score", "realized effect on the loss"}) +
         "\n";
}

std::string locality_report(const Locality& locality) {
  TextTable layers({{"layer"},
                    {"neurons", Align::kRight},
                    {"rank, first order", Align::kRight},
                    {"rank, second order", Align::kRight},
                    {"error, first order", Align::kRight},
                    {"error, second order", Align::kRight}});
  for (const LocalitySummary& s : locality.summaries)
    layers.add({s.layer, format_count(s.neurons), signed_number(s.first_rank), signed_number(s.second_rank),
                small_number(s.first_error), small_number(s.second_error)});
  TextTable readings({{"layer"}, {"another reading"}, {"first order", Align::kRight}, {"second order", Align::kRight}});
  for (const LocalitySummary& s : locality.summaries)
    for (const LocalityReading& reading : s.readings)
      readings.add({s.layer, reading.name, signed_number(reading.first_rank), signed_number(reading.second_rank)});
  TextTable bins({{"displacement"},
                  {"slots", Align::kRight},
                  {"first order: 10 %", Align::kRight},
                  {"50 %", Align::kRight},
                  {"90 %", Align::kRight},
                  {"second order: 10 %", Align::kRight},
                  {"50 %", Align::kRight},
                  {"90 %", Align::kRight}});
  for (const DisplacementBin& bin : locality.bins) {
    if (bin.slots == 0) continue;
    std::vector<std::string> cells = {fmt::format("{:g} to {:g}", bin.low, bin.high), format_count(bin.slots)};
    for (const auto& error : bin.first_error) cells.push_back(small_number(error));
    for (const auto& error : bin.second_error) cells.push_back(small_number(error));
    bins.add(cells);
  }
  return "Locality: all sixteen slots; rank is the median, over neurons, of Spearman's correlation of error and D\n\n" +
         layers.str() + "\n" + readings.str() + "\n" + bins.str() +
         fmt::format(
             "\nforward derivatives and backward scores differ by at most {:.1e} of a neuron's largest score\n\n",
             locality.disagreement);
}

std::string held_out_report(const HeldOut& held_out, std::string_view examples) {
  constexpr std::size_t kWidth = 20;
  TextTable table({{"retained", Align::kRight},
                   {"choices", Align::kRight},
                   {"wins, same half", Align::kRight},
                   {""},
                   {"wins, other half", Align::kRight},
                   {""}});
  for (const WinRate& rate : held_out.rates) {
    const double same = (rate.same[0] + rate.same[1]) / 2, other = (rate.other[0] + rate.other[1]) / 2;
    table.add({fmt::format("{:.0f} %", 100 * rate.fraction), format_count(rate.choices), short_percent(same),
               bar(same, kWidth), short_percent(other), bar(other, kWidth)});
  }
  return fmt::format(
      "Held-out selection: how often the slot selected by score beats the argmax slot, of the choices that move the\n"
      "neuron least; selected on one half of the {}, judged on both (mean of the two ways)\n\n{}\n",
      examples, table.str());
}

std::string gaps_report(const LayeredGaps& gaps, std::string_view examples) {
  TextTable whole({{"network"}, {"loss", Align::kRight}, {"accuracy", Align::kRight}});
  for (const auto& [name, risk] : gaps.whole.rows())
    whole.add({name, fmt::format("{:.4f}", risk.loss), fmt::format("{:.2f} %", 100 * risk.accuracy)});
  TextTable layers({{"layer"},
                    {"neurons", Align::kRight},
                    {"frozen", Align::kRight},
                    {"loss gap", Align::kRight},
                    {"accuracy gap", Align::kRight},
                    {"constants", Align::kRight},
                    {"wires", Align::kRight},
                    {"dead", Align::kRight},
                    {"argmax not nearest", Align::kRight}});
  for (const LayerGap& layer : gaps.layers)
    layers.add({layer.layer, format_count(layer.neurons), format_count(layer.frozen),
                fmt::format("{:+.4f}", layer.discrete.loss - gaps.whole.relaxed.loss),
                fmt::format("{:+.2f} %", 100 * (gaps.whole.relaxed.accuracy - layer.discrete.accuracy)),
                format_count(layer.constants), format_count(layer.wires), format_count(layer.dead),
                format_count(layer.not_nearest)});
  return fmt::format(
      "Gaps on {} {}: what is lost, positive is worse; layers are made discrete one at a time\n\n{}\n{}\n",
      format_count(gaps.samples), examples, whole.str(), layers.str());
}

std::string checked_report(const std::vector<CheckedLayer>& checked) {
  TextTable table({{"layer"},
                   {"neurons", Align::kRight},
                   {"smallest effect", Align::kRight},
                   {"worst relative error", Align::kRight},
                   {"too small to judge", Align::kRight}});
  for (const CheckedLayer& layer : checked)
    table.add({layer.layer, format_count(layer.neurons), fmt::format("{:.1e}", layer.smallest_effect),
               fmt::format("{:.1e}", layer.worst_error), format_count(layer.unresolved)});
  return "Check: effects of argmax slots against whole passes of the reference in extended precision\n\n" +
         table.str() + "\n";
}

// A paragraph in lines that fit a terminal, and an empty line.
std::string paragraph(const std::string& text) {
  constexpr std::size_t kWidth = 110;
  std::string lines;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column > 0 && column + 1 + end - at > kWidth) {
      lines += '\n';
      column = 0;
    }
    if (column > 0) lines += ' ';
    lines += text.substr(at, end - at);
    column += end - at + 1;
    at = end + 1;
  }
  return lines.empty() ? "" : lines + "\n\n";
}

}  // namespace

std::string report_of(const CheckpointDiagnosis& own) {
  const Diagnosis& diagnosis = own.diagnosis;
  const std::string_view examples = examples_word(own.sample);
  std::string text;
  if (diagnosis.relaxed_neurons > 0)
    text += fmt::format("{} {}, relaxed loss {:.4f}; {} relaxed neurons examined, {} frozen ones left out\n",
                        format_count(diagnosis.samples), examples, diagnosis.risk,
                        format_count(diagnosis.relaxed_neurons), format_count(diagnosis.frozen_neurons));
  if (diagnosis.tied)
    text += fmt::format("{} of the pooled values have more than one winner\n", short_percent(*diagnosis.tied));
  if (!text.empty()) text += "\n";
  if (!diagnosis.effect_summaries.empty())
    text += effects_report(diagnosis) + paragraph(explain_effects(diagnosis.effect_summaries));
  if (diagnosis.locality)
    text += locality_report(*diagnosis.locality) + paragraph(explain_locality(*diagnosis.locality));
  if (diagnosis.held_out)
    text += held_out_report(*diagnosis.held_out, examples) + paragraph(explain_held_out(*diagnosis.held_out, examples));
  if (diagnosis.gaps) text += gaps_report(*diagnosis.gaps, examples) + paragraph(explain_gaps(*diagnosis.gaps));
  if (own.discrete) text += report_of(*own.discrete, examples) + paragraph(explain_flips(*own.discrete, examples));
  if (own.shocks) text += report_of(*own.shocks) + paragraph(explain_shocks(*own.shocks));
  if (!own.checked.empty()) text += checked_report(own.checked) + paragraph(explain_check(own.checked));
  return text;
}

namespace {

std::string effects_of_seeds(const nlohmann::json& layers) {
  TextTable table({{"layer"},
                   {"entropy, effect", Align::kRight},
                   {"selected: score, effect", Align::kRight},
                   {"argmax: score, effect", Align::kRight},
                   {"D argmax", Align::kRight},
                   {"D selected", Align::kRight}});
  for (const auto& [layer, s] : layers.items()) {
    const auto& rank = s["spearman"];
    table.add({layer, mean_and_deviation(rank["entropy"]["value"], "{:+.3f}"),
               mean_and_deviation(rank["selected"]["value"], "{:+.3f}"),
               mean_and_deviation(rank["argmax"]["value"], "{:+.3f}"),
               mean_and_deviation(s["median_displacement"]["argmax"], "{:.2g}"),
               mean_and_deviation(s["median_displacement"]["selected"], "{:.2g}")});
  }
  return "Freeze effects, Spearman's correlations\n\n" + table.str() + "\n";
}

std::string locality_of_seeds(const nlohmann::json& layers) {
  TextTable table({{"layer"}, {"rank, first order", Align::kRight}, {"rank, second order", Align::kRight}});
  for (const auto& [layer, s] : layers.items()) {
    const auto& rank = s["median_spearman_of_error_and_displacement"];
    table.add({layer, mean_and_deviation(rank["first_order"], "{:+.3f}"),
               mean_and_deviation(rank["second_order"], "{:+.3f}")});
  }
  return "Locality\n\n" + table.str() + "\n";
}

std::string held_out_of_seeds(const nlohmann::json& rates) {
  TextTable table(
      {{"retained", Align::kRight}, {"wins, same half", Align::kRight}, {"wins, other half", Align::kRight}});
  for (const auto& rate : rates)
    table.add({fmt::format("{:.0f} %", 100 * rate["fraction"]["mean"].get<double>()),
               mean_and_deviation(rate["wins_on_same_half"], "{:.3f}"),
               mean_and_deviation(rate["wins_on_other_half"], "{:.3f}")});
  return "Held-out selection\n\n" + table.str() + "\n";
}

std::string gaps_of_seeds(const nlohmann::json& gaps) {
  TextTable table({{"gap"}, {"loss", Align::kRight}, {"accuracy", Align::kRight}});
  for (const std::string gap : {"selection", "computation", "discretization"}) {
    const auto& own = gaps[gap + "_gap"];
    table.add({gap, mean_and_deviation(own["loss"], "{:+.4f}"), mean_and_deviation(own["accuracy"], "{:+.4f}")});
  }
  return "Gaps\n\n" + table.str() + "\n";
}

}  // namespace

std::string report_of_seeds(const nlohmann::json& spread) {
  std::string text;
  if (spread.contains("effects")) text += effects_of_seeds(spread["effects"]);
  if (spread.contains("locality")) text += locality_of_seeds(spread["locality"]["layers"]);
  if (spread.contains("heldout")) text += held_out_of_seeds(spread["heldout"]["rates"]);
  if (spread.contains("gaps")) text += gaps_of_seeds(spread["gaps"]);
  if (spread.contains("discrete")) text += flips_of_seeds(spread["discrete"]);
  if (spread.contains("shocks")) text += shocks_of_seeds(spread["shocks"]);
  return text;
}

}  // namespace firn::cli
