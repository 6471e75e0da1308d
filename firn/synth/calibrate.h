// Measures how long stages of gates take, by tools that know the delays of a target.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "firn/circuit/netlist.h"
#include "firn/synth/delays.h"
#include "firn/synth/workbench.h"

namespace firn::synth {

// A circuit like those that networks become: random layers of gates, and counters and comparators behind them.
Netlist calibration_circuit();

using CalibrationProgress = std::function<void(std::size_t done, std::size_t total)>;

// Cuts the circuit into stages of 1, 2, 3, 4, 6, 8, ... levels and measures the clock period of each. An Error where
// the tools of the target are missing or the target, such as "xilinx", has no delays; `what` is the circuit, for the
// source of the table.
DelayTable calibrate(const Netlist& circuit, std::string_view what, std::string_view target,
                     const WorkbenchSettings& settings, const CalibrationProgress& progress = {});

}  // namespace firn::synth
