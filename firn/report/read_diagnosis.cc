#include "firn/report/read_diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/folder_name.h"
#include "firn/base/sealed_json.h"
#include "firn/report/table_file.h"

namespace firn::report {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

std::optional<double> number(const json& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

// A plain number, or the mean over repetitions.
Estimate number_or_mean(const json& value) {
  if (!value.is_object()) return {.value = number(value)};
  return {.value = number(value.at("mean")), .deviation = number(value.at("sd")), .count = value.at("count")};
}

// The same, or one of them with an interval.
Estimate estimate(const json& value) {
  if (!value.is_object() || !value.contains("value")) return number_or_mean(value);
  Estimate inner = number_or_mean(value["value"]);
  if (value.contains("interval")) {
    inner.low = number(value["interval"].at(0));
    inner.high = number(value["interval"].at(1));
  }
  return inner;
}

std::vector<EffectsRow> effects_rows(const json& layers) {
  std::vector<EffectsRow> rows;
  for (const auto& [layer, row] : layers.items()) {
    const json &spearman = row.at("spearman"), &displacement = row.at("median_displacement");
    rows.push_back({layer, estimate(row.at("neurons")), estimate(spearman.at("entropy")),
                    estimate(spearman.at("selected")), estimate(spearman.at("argmax")),
                    estimate(displacement.at("argmax")), estimate(displacement.at("selected"))});
  }
  return rows;
}

std::vector<LocalityRow> locality_rows(const json& layers) {
  std::vector<LocalityRow> rows;
  for (const auto& [layer, row] : layers.items()) {
    const json& rank = row.at("median_spearman_of_error_and_displacement");
    const json& error = row.at("median_error");
    rows.push_back({layer, estimate(row.at("neurons")), estimate(rank.at("first_order")),
                    estimate(rank.at("second_order")), estimate(error.at("first_order")),
                    estimate(error.at("second_order"))});
  }
  return rows;
}

std::vector<ErrorBin> error_bins(const json& bins) {
  const auto quantiles = [](const json& three) {
    return std::array{estimate(three.at("p10")), estimate(three.at("p50")), estimate(three.at("p90"))};
  };
  std::vector<ErrorBin> rows;
  for (const json& bin : bins)
    rows.push_back({estimate(bin.at("displacement_from")), estimate(bin.at("displacement_to")),
                    estimate(bin.at("slots")), quantiles(bin.at("first_error")), quantiles(bin.at("second_error"))});
  return rows;
}

std::vector<WinRow> win_rows(const json& rates) {
  std::vector<WinRow> rows;
  for (const json& rate : rates)
    rows.push_back({estimate(rate.at("fraction")), estimate(rate.at("choices")), estimate(rate.at("wins_on_same_half")),
                    estimate(rate.at("wins_on_other_half"))});
  return rows;
}

std::vector<GapRow> gap_rows(const json& layers) {
  std::vector<GapRow> rows;
  for (const auto& [layer, row] : layers.items()) {
    const json& alone = row.at("alone_discrete");
    rows.push_back({layer, estimate(row.at("neurons")), estimate(row.at("frozen")), estimate(alone.at("loss")),
                    estimate(alone.at("accuracy")), estimate(row.at("constants")), estimate(row.at("wires")),
                    estimate(row.at("dead"))});
  }
  return rows;
}

std::vector<Estimate> estimates(const json& list) {
  std::vector<Estimate> values;
  for (const json& value : list) values.push_back(estimate(value));
  return values;
}

std::vector<FlipRow> flip_rows(const json& layers) {
  std::vector<FlipRow> rows;
  for (const auto& [layer, row] : layers.items()) {
    const json &lower = row.at("lower_loss"), &significant = row.at("significant"), &rank = row.at("spearman");
    rows.push_back({layer, estimate(row.at("gates")), estimate(row.at("flips")), estimate(row.at("without_effect")),
                    estimate(lower.at("flips")), estimate(lower.at("also_held_out")), estimate(significant.at("flips")),
                    estimate(significant.at("also_held_out")), estimate(row.at("significant_gates")),
                    estimate(rank.at("fitting_with_held_out")), estimate(rank.at("score").at("fitting")),
                    estimate(rank.at("relaxed_effect").at("fitting")), estimate(rank.at("entropy").at("fitting")),
                    estimates(row.at("histogram").at("fitting")), estimates(row.at("histogram").at("held_out"))});
  }
  return rows;
}

void read_flips(const json& discrete, DiagnosisRecord& diagnosis) {
  diagnosis.flips = flip_rows(discrete.at("layers"));
  diagnosis.flip_edges = estimates(discrete.at("bin_edges"));
  diagnosis.fitting_examples = estimate(discrete.at("fitting").at("examples"));
  diagnosis.held_out_examples = estimate(discrete.at("held_out").at("examples"));
}

void read_summary(const json& summary, DiagnosisRecord& diagnosis) {
  diagnosis.checkpoint = summary.at("checkpoint");
  diagnosis.split = summary.at("split");
  diagnosis.step = estimate(summary.at("step"));
  diagnosis.is_average = summary.at("step").is_object();
  diagnosis.samples = estimate(summary.at("samples"));
  if (summary.contains("effects")) diagnosis.effects = effects_rows(summary["effects"]);
  if (summary.contains("locality")) {
    diagnosis.locality = locality_rows(summary["locality"].at("layers"));
    diagnosis.bins = error_bins(summary["locality"].at("bins"));
  }
  if (summary.contains("heldout")) diagnosis.wins = win_rows(summary["heldout"].at("rates"));
  if (summary.contains("discrete")) read_flips(summary["discrete"], diagnosis);
  if (!summary.contains("gaps")) return;
  const json& gaps = summary["gaps"];
  diagnosis.gaps = gap_rows(gaps.at("layers"));
  diagnosis.relaxed_loss = estimate(gaps.at("relaxed").at("loss"));
  diagnosis.relaxed_accuracy = estimate(gaps.at("relaxed").at("accuracy"));
  diagnosis.discrete_loss = estimate(gaps.at("discrete").at("loss"));
  diagnosis.discrete_accuracy = estimate(gaps.at("discrete").at("accuracy"));
}

void read_neurons(const TableFile& table, std::size_t max_neurons, DiagnosisRecord& diagnosis) {
  diagnosis.stride = std::max<std::size_t>(1, (table.rows() + max_neurons - 1) / max_neurons);
  const std::size_t layer = table.column("layer");
  for (std::size_t r = 0; r < table.rows(); r += diagnosis.stride) {
    const std::string name(table.text(r, layer));
    auto found = std::ranges::find(diagnosis.layers, name);
    if (found == diagnosis.layers.end()) found = diagnosis.layers.insert(found, name);
    diagnosis.neuron_layer.push_back(static_cast<std::size_t>(found - diagnosis.layers.begin()));
  }
  for (const char* name : {"entropy", "argmax_score", "argmax_effect", "argmax_displacement", "selected_score",
                           "selected_effect", "selected_displacement"}) {
    NamedValues& values = diagnosis.neurons.emplace_back(NamedValues{name, {}});
    const std::size_t column = table.column(name);
    for (std::size_t r = 0; r < table.rows(); r += diagnosis.stride) values.values.push_back(table.number(r, column));
  }
}

}  // namespace

bool is_diagnose_folder(const fs::path& folder) {
  return fs::exists(folder / "summary.json");
}

std::vector<fs::path> diagnose_folders(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& run : fs::directory_iterator(folder)) {
    if (!run.is_directory()) continue;
    for (const auto& step : fs::directory_iterator(run.path()))
      if (is_diagnose_folder(step.path())) found.push_back(step.path());
  }
  std::ranges::sort(found);
  found.insert(found.begin(), folder);
  return found;
}

DiagnosisRecord read_diagnosis(const fs::path& folder, std::size_t max_neurons) {
  DiagnosisRecord diagnosis;
  diagnosis.folder = folder.string();
  diagnosis.name = folder_name(folder);
  const fs::path file = folder / "summary.json";
  try {
    read_summary(open_sealed_json(read_text(file), file.string(), "run firn diagnose again"), diagnosis);
  } catch (const json::exception& error) {
    throw Error(
        fmt::format("{} is no summary of a diagnosis ({}); run firn diagnose again", file.string(), error.what()));
  }
  if (fs::exists(folder / "effects.csv")) read_neurons(TableFile(folder / "effects.csv"), max_neurons, diagnosis);
  return diagnosis;
}

}  // namespace firn::report
