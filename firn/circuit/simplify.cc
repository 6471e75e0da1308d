#include "firn/circuit/simplify.h"

#include <array>

#include "firn/circuit/passes/constants.h"
#include "firn/circuit/passes/dead.h"
#include "firn/circuit/passes/inverters.h"
#include "firn/circuit/passes/sharing.h"

namespace firn {

namespace {

constexpr std::array kPasses = {
    Pass{"constants", "gates with constant or equal operands", fold_constants},
    Pass{"inverters", "pass-throughs and inverters, absorbed by the gates behind them", absorb_inverters},
    Pass{"dead", "gates that no output needs", remove_dead_gates},
    Pass{"sharing", "gates that compute what an earlier one computes", share_equal_gates},
};
constexpr std::size_t kWithoutSharing = kPasses.size() - 1;

// Runs the first `count` passes in turn until a whole round removes nothing.
void run_to_fixpoint(Netlist& netlist, std::size_t count, SimplifyStats& stats) {
  for (std::size_t before = netlist.gates.size() + 1; netlist.gates.size() < before;) {
    before = netlist.gates.size();
    for (std::size_t p = 0; p < count; ++p) {
      const std::size_t gates = netlist.gates.size();
      kPasses[p].run(netlist);
      stats.passes[p].removed += gates - netlist.gates.size();
    }
    ++stats.rounds;
  }
}

}  // namespace

std::span<const Pass> passes() {
  return kPasses;
}

SimplifyStats simplify(Netlist& netlist) {
  SimplifyStats stats;
  for (const Pass& pass : kPasses) stats.passes.push_back({pass.name, 0});
  stats.gates_before = netlist.gates.size();
  run_to_fixpoint(netlist, kWithoutSharing, stats);
  stats.gates_unshared = netlist.gates.size();
  run_to_fixpoint(netlist, kPasses.size(), stats);
  stats.gates_after = netlist.gates.size();
  netlist.gates.shrink_to_fit();
  return stats;
}

}  // namespace firn
