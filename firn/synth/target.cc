#include "firn/synth/target.h"

#include <algorithm>
#include <array>

#include "firn/base/clock.h"
#include "firn/base/family.h"
#include "firn/circuit/statistics.h"
#include "firn/synth/estimate.h"

namespace firn::synth {

namespace {

double luts(const Netlist& netlist) {
  return static_cast<double>(lut_estimate(netlist));
}
template <std::size_t kInputs>
double levels(const Netlist& netlist) {
  return static_cast<double>(lut_levels_estimate(netlist, kInputs));
}

constexpr std::array kAbcQuantities = {Quantity{"abc_lut6", "ABC LUT-6", 0, luts},
                                       Quantity{"abc_levels", "levels", 0, levels<6>}};
constexpr std::array kXilinxQuantities = {Quantity{"lut6", "LUT-6", 0, luts},
                                          Quantity{"lut6_levels", "levels", 0, levels<6>}};
constexpr std::array kIce40Quantities = {Quantity{"lut4", "LUT-4"}, Quantity{"lut4_levels", "levels", 0, levels<4>},
                                         Quantity{"hx8k_ns", "HX8K ns", 2}};
constexpr std::array kOsu018Quantities = {Quantity{"area_um2", "um2"}, Quantity{"nand2", "NAND2", 0, nand2_estimate},
                                          Quantity{"registers", "DFF"}, Quantity{"delay_ns", "ns", 2, delay_estimate}};

constexpr std::array kAbcTools = {kAbc};
constexpr std::array kXilinxTools = {kYosys};
constexpr std::array kIce40Tools = {kYosys, kNextpnr};
constexpr std::array kOsu018Tools = {kYosys, kSta};

std::string without_abc() {
  return is_installed(kAbc) ? "" : absence(kAbc);
}
std::string without_yosys() {
  return is_installed(kYosys) ? "" : absence(kYosys);
}
std::string without_library() {
  return is_installed(kYosys) && !has_liberty() ? liberty_absence() : without_yosys();
}

constexpr std::array kTargets = {
    TargetEntry{"xilinx", "six-input look-up tables by yosys, synth_xilinx", kXilinxQuantities, kXilinxTools, "",
                without_yosys, measure_xilinx},
    TargetEntry{"abc", "six-input look-up tables by ABC alone, much quicker", kAbcQuantities, kAbcTools, "",
                without_abc, measure_abc},
    TargetEntry{"ice40", "four-input look-up tables by yosys, synth_ice40; nextpnr-ice40 on an HX8K where it fits",
                kIce40Quantities, kIce40Tools, "hx8k_ns", without_yosys, measure_ice40},
    TargetEntry{"osu018", "cells of the OSU 0.18 um library by yosys and ABC, delay by OpenSTA", kOsu018Quantities,
                kOsu018Tools, "delay_ns", without_library, measure_osu018},
};

using State = TargetResult::State;

// Nothing measured, for a reason.
void give_up(TargetResult& result, State state, std::string reason) {
  result.state = state;
  result.measurement = {std::vector<std::optional<double>>(result.target->quantities.size()), {std::move(reason)}};
}

}  // namespace

std::span<const TargetEntry> targets() {
  return kTargets;
}

const TargetEntry& find_target(std::string_view name) {
  return entry_named(name, kTargets, "target");
}

std::optional<double> TargetResult::value(std::string_view key) const {
  const auto found = std::ranges::find(target->quantities, key, &Quantity::key);
  if (found == target->quantities.end()) return std::nullopt;
  return measurement.values[static_cast<std::size_t>(found - target->quantities.begin())];
}

std::optional<double> value_or_note(const std::function<double()>& part, std::vector<std::string>& notes) {
  try {
    return part();
  } catch (const Stopped&) {
    throw;
  } catch (const Error& e) {
    notes.emplace_back(e.what());
    return std::nullopt;
  }
}

TargetResult measure(const Design& design, const TargetEntry& target, const WorkbenchSettings& settings) {
  TargetResult result{.target = &target};
  for (const Quantity& quantity : target.quantities)
    result.estimates.push_back(quantity.estimate != nullptr && design.stages == 0
                                   ? std::optional(quantity.estimate(design.netlist))
                                   : std::nullopt);
  if (std::string reason = target.obstacle(); !reason.empty()) {
    give_up(result, State::kSkipped, std::move(reason));
    return result;
  }
  const Stopwatch watch;
  try {
    const Workbench bench(settings);
    result.measurement = target.measure(design, bench);
    FIRN_CHECK(result.measurement.values.size() == target.quantities.size());
  } catch (const Stopped&) {
    throw;
  } catch (const TimedOut& e) {
    give_up(result, State::kTimedOut, e.what());
  } catch (const Error& e) {
    give_up(result, State::kFailed, e.what());
  }
  result.seconds = watch.seconds();
  return result;
}

}  // namespace firn::synth
