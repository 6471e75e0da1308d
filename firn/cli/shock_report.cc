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
                   {"always equal", Align::kRight},
                   {"mean < 0", Align::kRight},
                   {"mean / deviation: 10 %", Align::kRight},
                   {"50 %", Align::kRight},
                   {"90 %", Align::kRight},
                   {"median logit", Align::kRight}});
  for (const LayerShocks& s : diagnosis.summaries) {
    std::vector<std::string> cells = {s.layer, format_count(s.neurons), format_count(s.silent),
                                      format_count(s.negative)};
    for (const auto& ratio : s.ratio) cells.push_back(ratio ? fmt::format("{:+.3f}", *ratio) : "-");
    cells.push_back(s.logit ? fmt::format("{:.2f}", *s.logit) : "-");
    table.add(cells);
  }
  return table.str();
}

std::string replay_table(const ShockDiagnosis& diagnosis) {
  std::vector<TextTable::Column> columns = {{"layer"}, {"scores"}};
  for (std::size_t evaluations : kShockEvaluations) columns.push_back({std::to_string(evaluations), Align::kRight});
  TextTable table(columns);
  for (const LayerShocks& s : diagnosis.summaries) {
    const auto add = [&](const char* scores, const auto& shares) {
      std::vector<std::string> cells = {s.layer, scores};
      for (double share : shares) cells.push_back(fmt::format("{:.1f}", 100 * share));
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
      "Shocks: scores of the argmax slots on the next {} training batches, the network standing still\n\n{}\n"
      "Frozen by TaskFreeze after so many evaluations that each draw a batch, in %\n\n{}\n",
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
               mean_and_deviation(s["frozen"]["measured"][0], "{:.1f}", 100),
               mean_and_deviation(s["frozen"]["centred"][0], "{:.1f}", 100)});
  }
  return "Shocks\n\n" + table.str() + "\n";
}

}  // namespace firn::cli
