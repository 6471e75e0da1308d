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
#include "firn/base/sealed_json.h"

namespace firn::synth {

namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& source, std::string_view reason) {
  throw Error(fmt::format("{} is not a table of delays: {}; measure one anew", source, reason));
}

bool is_of_earlier_version(const json& object) {
  return object.is_object() && !object.contains("checksum") && object.contains("format") &&
         object["format"] == kEarlierDelaysFormat;
}

// People may edit the file: without "format" and "checksum" it is taken as it is.
json open_delays(std::string_view text, const std::string& source) {
  json object = parse_json(text);
  if (is_of_earlier_version(object)) return object;
  if (!is_sealed_json(text) && !object.is_object()) refuse(source, "it is not JSON");
  json opened = open_sealed_json(
      text, source, R"(measure one anew or, if you have edited it, remove "format" and "checksum" from it)");
  if (object.contains("format") && object["format"] != kDelaysFormat)
    refuse(source, fmt::format("its format is not {}", kDelaysFormat));
  return opened;
}

DelayTable parse_table(const json& entry, const std::string& source) {
  DelayTable table{entry.at("target").get<std::string>(), entry.at("source").get<std::string>(), {}};
  for (const auto& stage : entry.at("stages"))
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
  json list = json::array();
  for (const DelayTable& table : tables) {
    json stages = json::array();
    for (const StageDelay& stage : table.stages)
      stages.push_back({{"levels", stage.levels}, {"ns", std::round(stage.ns * 1000) / 1000}});
    list.push_back({{"target", table.target}, {"source", table.source}, {"stages", stages}});
  }
  return seal_json({{"tables", list}}, kDelaysFormat);
}

std::vector<DelayTable> parse_delays(std::string_view text, const std::string& source) {
  try {
    const json object = open_delays(text, source);
    std::vector<DelayTable> tables;
    for (const auto& table : object.at("tables")) tables.push_back(parse_table(table, source));
    return tables;
  } catch (const json::exception&) {
    refuse(source, "something is missing in it");
  }
}

}  // namespace firn::synth
