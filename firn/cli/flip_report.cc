#include "firn/cli/flip_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/seed_text.h"

namespace firn::cli {

namespace {

using Align = TextTable::Align;

constexpr std::array kShownQuantiles = {0.0, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0};

std::string correlation_text(const std::optional<double>& value) {
  return value ? fmt::format("{:+.2f}", *value) : "-";
}
std::string share(std::size_t part, std::size_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string risk_text(const Risk& risk, std::size_t samples, std::string_view examples) {
  return fmt::format("{} {}, loss {:.5f}, accuracy {:.2f} %", format_count(samples), examples, risk.loss,
                     100 * risk.accuracy);
}

std::string gains_table(const std::vector<LayerFlips>& summaries) {
  TextTable table({{"layer"},
                   {"gates", Align::kRight},
                   {"flips", Align::kRight},
                   {"no effect", Align::kRight},
                   {"lower", Align::kRight},
                   {"held out too", Align::kRight},
                   {"lower, z > 2", Align::kRight},
                   {"held out too", Align::kRight},
                   {"gates with one", Align::kRight}});
  for (const LayerFlips& s : summaries)
    table.add({s.layer, format_count(s.gates), format_count(s.flips), share(s.without_effect, s.flips),
               share(s.lower.flips, s.flips), share(s.lower.also_held_out, s.lower.flips),
               fmt::format("{} ({})", format_count(s.significant.flips), share(s.significant.flips, s.flips)),
               share(s.significant.also_held_out, s.significant.flips), share(s.significant_gates, s.gates)});
  return table.str();
}

std::string quantiles_table(const std::vector<LayerFlips>& summaries) {
  std::vector<TextTable::Column> columns = {{"layer"}, {"on"}};
  for (double p : kShownQuantiles)
    columns.push_back({p == 0 ? "lowest" : p == 1 ? "highest" : fmt::format("{:g} %", 100 * p), Align::kRight});
  TextTable table(columns);
  for (const LayerFlips& s : summaries)
    for (const auto& [examples, quantiles] : {std::pair("fitting", s.fitting), std::pair("held out", s.held_out)}) {
      std::vector<std::string> cells = {s.layer, examples};
      for (double p : kShownQuantiles) {
        const auto at = static_cast<std::size_t>(std::ranges::find(kFlipQuantiles, p) - kFlipQuantiles.begin());
        cells.push_back(quantiles[at] ? fmt::format("{:+.1e}", *quantiles[at]) : "-");
      }
      table.add(cells);
    }
  return table.str();
}

std::string correlations_table(const std::vector<LayerFlips>& summaries) {
  TextTable table({{"layer"},
                   {"fitting, held out", Align::kRight},
                   {"score, fitting", Align::kRight},
                   {"held out", Align::kRight},
                   {"relaxed effect, fitting", Align::kRight},
                   {"held out", Align::kRight},
                   {"of flips", Align::kRight},
                   {"entropy, fitting", Align::kRight},
                   {"held out", Align::kRight}});
  for (const LayerFlips& s : summaries)
    table.add({s.layer, correlation_text(s.fitting_with_held_out), correlation_text(s.score.fitting),
               correlation_text(s.score.held_out), correlation_text(s.relaxed_effect.fitting),
               correlation_text(s.relaxed_effect.held_out), format_count(s.relaxed_effect.flips),
               correlation_text(s.entropy.fitting), correlation_text(s.entropy.held_out)});
  return table.str();
}

}  // namespace

std::string report_of(const DiscreteDiagnosis& diagnosis, std::string_view examples) {
  return fmt::format(
      "Flips of the discrete network: one row of one truth table at a time, wherever its gate is placed\n"
      "fitting:  {}\nheld out: {}\n\n"
      "How many flips lower the loss of the fitting {}, and how many of those that of the held-out ones\n\n{}\n"
      "Change of the mean loss, quantiles over flips\n\n{}\n"
      "Spearman's correlations of the changes: on fitting with those on held-out {}, and both with what the\n"
      "relaxed network says about the same replacements on {} of the fitting {}\n\n{}\n",
      risk_text(diagnosis.fitting, diagnosis.fitting_samples, examples),
      risk_text(diagnosis.held_out, diagnosis.held_out_samples, examples), examples, gains_table(diagnosis.summaries),
      quantiles_table(diagnosis.summaries), examples, format_count(diagnosis.relaxed_samples), examples,
      correlations_table(diagnosis.summaries));
}

std::string flips_of_seeds(const nlohmann::json& discrete) {
  TextTable table({{"layer"},
                   {"lower, %", Align::kRight},
                   {"lower, z > 2, %", Align::kRight},
                   {"held out too, %", Align::kRight},
                   {"fitting, held out", Align::kRight},
                   {"score", Align::kRight},
                   {"relaxed effect", Align::kRight},
                   {"entropy", Align::kRight}});
  for (const auto& [layer, s] : discrete["layers"].items()) {
    const auto& rank = s["spearman"];
    table.add({layer, mean_and_deviation(s["lower_loss"]["share"], "{:.1f}", 100),
               mean_and_deviation(s["significant"]["share"], "{:.1f}", 100),
               mean_and_deviation(s["significant"]["share_also_held_out"], "{:.1f}", 100),
               mean_and_deviation(rank["fitting_with_held_out"], "{:+.3f}"),
               mean_and_deviation(rank["score"]["fitting"], "{:+.3f}"),
               mean_and_deviation(rank["relaxed_effect"]["fitting"], "{:+.3f}"),
               mean_and_deviation(rank["entropy"]["fitting"], "{:+.3f}")});
  }
  return "Flips of the discrete network\n\n" + table.str() + "\n";
}

}  // namespace firn::cli
