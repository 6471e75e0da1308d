#include "firn/synth/delays.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/base/parse_json.h"

namespace firn::synth {

namespace {

constexpr std::string_view kFormat = "firn-delays";

[[noreturn]] void refuse(const std::string& source, std::string_view reason) {
  throw Error(fmt::format("{} is not a table of delays: {}; measure one anew", source, reason));
}

DelayTable parse_table(const nlohmann::json& json, const std::string& source) {
  DelayTable table{json.at("target").get<std::string>(), json.at("source").get<std::string>(), {}};
  for (const auto& stage : json.at("stages"))
    table.stages.push_back({stage.at("levels").get_ref<const std::uint64_t&>(), stage.at("ns").get<double>()});
  StageDelay last{0, 0};
  for (const StageDelay& stage : table.stages) {
    if (stage.levels <= last.levels || !(stage.ns > 0) || stage.ns < last.ns || !std::isfinite(stage.ns))
      refuse(source, fmt::format("levels and delays of {} must be positive and ascend", table.target));
    last = stage;
  }
  if (table.stages.empty()) refuse(source, fmt::format("{} has no stages", table.target));
  return table;
}

}  // namespace

std::span<const DelayTable> built_in_delays() {
  static const std::vector<DelayTable> tables = {
      {"osu018",
       "built in: calibration circuit, 66 levels; yosys 0.23, OpenSTA 2.0.17",
       {{1, 0.601}, {2, 0.809}, {3, 1.115}, {4, 1.237}, {6, 1.608}, {8, 1.814}, {11, 2.494}, {14, 2.845}, {22, 3.898}}},
      {"ice40",
       "built in: calibration circuit, 66 levels; yosys 0.23, nextpnr-ice40 0.4 on an HX8K",
       {{1, 2.898},
        {2, 3.486},
        {3, 4.558},
        {4, 5.579},
        {6, 7.462},
        {8, 8.808},
        {11, 11.179},
        {14, 14.252},
        {22, 17.311}}},
  };
  return tables;
}

const DelayTable& delays_of(std::span<const DelayTable> tables, std::string_view target) {
  std::vector<std::string> names;
  for (const DelayTable& table : tables) {
    if (table.target == target) return table;
    names.push_back(table.target);
  }
  throw_no_such_entry("table of delays", target, names);
}

double period_of(const DelayTable& table, std::size_t levels) {
  const std::vector<StageDelay>& stages = table.stages;
  FIRN_CHECK(!stages.empty() && levels > 0);
  const auto at_least = std::ranges::lower_bound(stages, levels, {}, &StageDelay::levels);
  if (at_least != stages.end() && (at_least->levels == levels || at_least == stages.begin())) return at_least->ns;
  if (stages.size() == 1) return stages[0].ns * static_cast<double>(levels) / static_cast<double>(stages[0].levels);
  const auto upper = at_least == stages.end() ? stages.end() - 1 : at_least;
  const StageDelay low = *(upper - 1), high = *upper;
  const double slope = (high.ns - low.ns) / static_cast<double>(high.levels - low.levels);
  return low.ns + slope * static_cast<double>(levels - low.levels);
}

PipelineChoice stages_for_clock(const DelayTable& table, std::size_t depth, double clock_ns) {
  FIRN_CHECK(clock_ns > 0);
  if (period_of(table, 1) > clock_ns)
    throw Error(
        fmt::format("a stage with a single level of gates takes {:.2f} ns in {}, so a clock of {:.2f} ns "
                    "cannot be met",
                    period_of(table, 1), table.target, clock_ns));
  // Periods grow with the levels, so the first number of stages that suits is the smallest.
  for (std::size_t stages = 1;; ++stages) {
    const std::size_t levels = std::max<std::size_t>(1, (depth + stages - 1) / stages);
    if (const double ns = period_of(table, levels); ns <= clock_ns) return {stages, levels, ns};
  }
}

double parse_clock(std::string_view text) {
  struct Unit {
    std::string_view name;
    double ns;
    bool is_frequency = false;
  };
  constexpr std::array kUnits = {Unit{"ns", 1}, Unit{"ps", 1e-3}, Unit{"us", 1e3}, Unit{"MHz", 1e3, true},
                                 Unit{"GHz", 1, true}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  const auto unit = std::ranges::find(kUnits, rest, &Unit::name);
  if (error != std::errc() || unit == kUnits.end() || !(number > 0) || !std::isfinite(number))
    throw Error(fmt::format("\"{}\" is not a clock; give a period such as 5ns or a frequency such as 200MHz", text));
  return unit->is_frequency ? unit->ns / number : unit->ns * number;
}

std::string delays_text(std::span<const DelayTable> tables) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DelayTable& table : tables) {
    nlohmann::ordered_json stages = nlohmann::ordered_json::array();
    for (const StageDelay& stage : table.stages)
      stages.push_back({{"levels", stage.levels}, {"ns", std::round(stage.ns * 1000) / 1000}});
    list.push_back({{"target", table.target}, {"source", table.source}, {"stages", stages}});
  }
  const nlohmann::ordered_json object = {{"format", kFormat}, {"tables", list}};
  return object.dump(1) + "\n";
}

std::vector<DelayTable> parse_delays(std::string_view text, const std::string& source) {
  try {
    const nlohmann::json object = parse_json(text);
    if (object.at("format") != kFormat) refuse(source, fmt::format("its format is not {}", kFormat));
    std::vector<DelayTable> tables;
    for (const auto& table : object.at("tables")) tables.push_back(parse_table(table, source));
    return tables;
  } catch (const nlohmann::json::exception& e) {
    refuse(source, "it is not JSON, or something is missing in it");
  }
}

}  // namespace firn::synth
