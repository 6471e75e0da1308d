#include "firn/synth/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/circuit/assemble.h"
#include "firn/circuit/builder.h"
#include "firn/circuit/simplify.h"
#include "firn/synth/target.h"

namespace firn::synth {

namespace {

// Counters are chains of XOR, the slowest gate: beyond 24 levels a stage is little else, and grows evenly.
constexpr std::array<std::size_t, 9> kLevels = {1, 2, 3, 4, 6, 8, 12, 16, 24};

}  // namespace

Netlist calibration_circuit() {
  constexpr std::size_t kInputs = 128, kWidth = 160, kLayers = 12, kClasses = 10;
  RandomSequence random(1, "synth/calibration");
  NetBuilder builder(kInputs);
  std::vector<Wire> below = builder.inputs();
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    std::vector<Wire> row;
    for (std::size_t i = 0; i < kWidth; ++i) {
      const Wire a = below[random.below(static_cast<std::uint32_t>(below.size()))] ^ (random.below(2) == 1);
      const Wire b = below[random.below(static_cast<std::uint32_t>(below.size()))] ^ (random.below(2) == 1);
      // One XOR for every seven ANDs, about as trained networks have them.
      row.push_back(random.below(8) == 0 ? builder.make_xor(a, b) : builder.make_and(a, b));
    }
    below = std::move(row);
  }
  Netlist netlist = with_head(std::move(builder).take(below), {.groups = kClasses});
  simplify(netlist);
  return netlist;
}

DelayTable calibrate(const Netlist& circuit, std::string_view what, std::string_view target,
                     const WorkbenchSettings& settings, const CalibrationProgress& progress) {
  const TargetEntry& entry = find_target(target);
  if (entry.period.empty())
    throw Error(fmt::format("no tool here knows the delays of {}; calibrate osu018 or ice40", target));
  std::string tools;
  for (const Tool& tool : entry.tools) {
    const std::optional<std::string> version = version_of(tool);
    if (!version) throw Error(absence(tool));
    tools += fmt::format("{}{} {}", tools.empty() ? "" : ", ", tool.program, *version);
  }
  std::string obstacle = entry.obstacle();
  if (!obstacle.empty()) throw Error(obstacle);
  const std::vector<std::uint32_t> depths = node_depths(circuit);
  const std::size_t depth = *std::ranges::max_element(depths);
  DelayTable table{std::string(target), fmt::format("{}, {} levels; {}", what, depth, tools), {}};
  for (std::size_t i = 0; i < kLevels.size() && kLevels[i] <= depth; ++i) {
    if (progress) progress(i, kLevels.size());
    const std::size_t stages = (depth + kLevels[i] - 1) / kLevels[i];
    const std::size_t levels = (depth + stages - 1) / stages;  // of the deepest stage, which may be fewer
    const StageDelay last = table.stages.empty() ? StageDelay{} : table.stages.back();
    if (levels == last.levels) continue;
    const TargetResult result = measure({circuit, stages}, entry, settings);
    const std::optional<double> ns = result.value(entry.period);
    if (!ns) {  // many registers may not fit where few do
      obstacle = fmt::format("{} gave no delay: {}", target, fmt::join(result.measurement.notes, "; "));
      continue;
    }
    // Tools are not monotone: now and then a stage with more levels is a little faster.
    table.stages.push_back({levels, std::max(last.ns, *ns)});
  }
  if (progress) progress(kLevels.size(), kLevels.size());
  if (table.stages.empty()) throw Error(obstacle.empty() ? "the circuit has no gates" : obstacle);
  return table;
}

}  // namespace firn::synth
