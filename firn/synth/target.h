// The family of targets: what a circuit costs on an FPGA or in a library of cells, as the tools of others find it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/synth/design.h"
#include "firn/synth/tool.h"
#include "firn/synth/workbench.h"

namespace firn::synth {

// Something that a target measures.
struct Quantity {
  std::string_view key;    // in JSON
  std::string_view title;  // in tables
  int decimals = 0;
  double (*estimate)(const Netlist& netlist) = nullptr;  // our own, of combinational circuits; null: there is none
};

// What the tools said, quantity by quantity; nothing where a note says why.
struct Measurement {
  std::vector<std::optional<double>> values;
  std::vector<std::string> notes = {};  // sentences without a full stop
};

struct TargetEntry {
  std::string_view name;
  std::string_view summary;
  std::span<const Quantity> quantities;
  std::span<const Tool> tools;  // in use, where they are installed
  std::string_view period;      // key of the quantity that is the period of a clock; empty: no tool knows delays
  std::string (*obstacle)();    // why nothing can be measured here; empty where something can
  Measurement (*measure)(const Design& design, const Workbench& bench);
};

std::span<const TargetEntry> targets();
const TargetEntry& find_target(std::string_view name);

// What became of one circuit on one target.
struct TargetResult {
  enum class State { kMeasured, kSkipped, kTimedOut, kFailed };
  const TargetEntry* target = nullptr;
  State state = State::kMeasured;
  Measurement measurement = {};                       // as many values as the target has quantities
  std::vector<std::optional<double>> estimates = {};  // likewise
  double seconds = 0;

  std::optional<double> value(std::string_view key) const;
};

// Measures in a workbench of its own. Stopped is thrown on; whatever else goes wrong is noted in the result.
TargetResult measure(const Design& design, const TargetEntry& target, const WorkbenchSettings& settings);

// The value of one part of a measurement; where that part fails or takes too long, nothing and a note.
std::optional<double> value_or_note(const std::function<double()>& part, std::vector<std::string>& notes);

// One line each in the table.
Measurement measure_abc(const Design& design, const Workbench& bench);
Measurement measure_xilinx(const Design& design, const Workbench& bench);
Measurement measure_ice40(const Design& design, const Workbench& bench);
Measurement measure_osu018(const Design& design, const Workbench& bench);

}  // namespace firn::synth
