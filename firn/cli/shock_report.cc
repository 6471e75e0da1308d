#include "firn/cli/shock_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/seed_text.h"

namespace firn::cli {

namespace {

using Align = TextTable::Align;

std::string ratio_table(const ShockDiagnosis& diagnosis) {
  TextTable table({{"layer"},
                   {"neurons", Align::kRight},
                   {"constant score", Align::kRight},
                   {"mean < 0", Align::kRight},
                   {"misleading", Align::kRight},
                   {"mean / deviation: 10 %", Align::kRight},
                   {"50 %", Align::kRight},
                   {"90 %", Align::kRight},
                   {"median logit", Align::kRight},
                   {"correlation", Align::kRight},
                   {"with loss", Align::kRight}});
  for (const LayerShocks& s : diagnosis.summaries) {
    std::vector<std::string> cells = {s.layer, format_count(s.neurons), format_count(s.silent),
                                      format_count(s.negative), format_count(s.misleading)};
    for (const auto& ratio : s.ratio) cells.push_back(ratio ? fmt::format("{:+.3f}", *ratio) : "-");
    for (const auto& value : {s.logit, s.correlation, s.with_loss})
      cells.push_back(value ? fmt::format("{:.2f}", *value) : "-");
    table.add(cells);
  }
  return table.str();
}

std::string replay_table(const ShockDiagnosis& diagnosis) {
  std::vector<TextTable::Column> columns = {{"layer"}, {"scores"}};
  for (std::size_t evaluations : diagnosis.evaluations) columns.push_back({std::to_string(evaluations), Align::kRight});
  TextTable table(columns);
  for (const LayerShocks& s : diagnosis.summaries) {
    const auto add = [&](const char* scores, const FrozenShares& shares) {
      std::vector<std::string> cells = {s.layer, scores};
      for (std::size_t e = 0; e < diagnosis.evaluations.size(); ++e)
        cells.push_back(fmt::format("{:.1f} ({:.0f} to {:.0f})", 100 * shares.mean[e], 100 * shares.lowest[e],
                                    100 * shares.highest[e]));
      table.add(cells);
    };
    add("as measured", s.frozen.measured);
    add("noise alone", s.frozen.centred);
    add("every step", s.frozen.every_step);
  }
  return table.str();
}

}  // namespace

std::string report_of(const ShockDiagnosis& diagnosis) {
  return fmt::format(
      "Shocks: scores of the argmax slots on the next {} training batches, with the network held fixed\n\n{}\n"
      "Misleading: most batches have the opposite sign to the mean. Correlation: between two neurons' scores, "
      "averaged\n"
      "over pairs. With loss: correlation of the batch's loss with its score averaged over neurons, each in units of "
      "its\n"
      "own deviation.\n\n"
      "Neurons that TaskFreeze would freeze, in %, by number of evaluations, on scores of batches drawn at random: "
      "mean\n"
      "(lowest to highest) of ten replays\n\n{}\n",
      format_count(diagnosis.batches), ratio_table(diagnosis), replay_table(diagnosis));
}

std::string shocks_of_seeds(const nlohmann::json& shocks) {
  TextTable table({{"layer"},
                   {"mean / deviation: 10 %", Align::kRight},
                   {"50 %", Align::kRight},
                   {"90 %", Align::kRight},
                   {"first frozen, %", Align::kRight},
                   {"noise alone, %", Align::kRight}});
  for (const auto& [layer, s] : shocks["layers"].items()) {
    const auto& ratio = s["mean_over_deviation"];
    table.add({layer, mean_and_deviation(ratio["p10"], "{:+.3f}"), mean_and_deviation(ratio["p50"], "{:+.3f}"),
               mean_and_deviation(ratio["p90"], "{:+.3f}"),
               mean_and_deviation(s["frozen"]["measured"]["mean"][0], "{:.1f}", 100),
               mean_and_deviation(s["frozen"]["centred"]["mean"][0], "{:.1f}", 100)});
  }
  return "Shocks\n\n" + table.str() + "\n";
}

}  // namespace firn::cli
