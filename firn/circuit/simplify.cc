#include "firn/circuit/simplify.h"

#include <array>

#include "firn/circuit/passes/constants.h"
#include "firn/circuit/passes/dead.h"
#include "firn/circuit/passes/inverters.h"
#include "firn/circuit/passes/sharing.h"
#include "firn/circuit/rewrite.h"

namespace firn::circuit {

namespace {

enum { kConstants, kInverters, kDead, kSharing };
constexpr std::array kPasses = {
    Pass{"constants", "gates with constant or equal operands", fold_constants},
    Pass{"inverters", "pass-throughs and inverters, absorbed by the gates behind them", absorb_inverters},
    Pass{"dead", "gates that no output needs", remove_dead_gates},
    Pass{"sharing", "gates that compute what an earlier one computes", share_equal_gates},
};

// Every rule at every gate in one sweep. The operands of a gate are final when it is reached, so no second sweep would
// find more.
template <class Share>
void sweep(Netlist& netlist, Share&& share, std::vector<PassStats>& stats) {
  const std::size_t gates = netlist.gates.size();
  std::size_t not_constant = 0, not_wire = 0;
  rewrite(netlist, [&](const NetGate& gate, const auto& keep) {
    return FoldConstant{}(gate, [&](const NetGate& real) {
      ++not_constant;
      return AbsorbInverters{}(real, [&](const NetGate& plain) {
        ++not_wire;
        return share(plain, keep);
      });
    });
  });
  stats[kConstants].removed += gates - not_constant;
  stats[kInverters].removed += not_constant - not_wire;
  stats[kSharing].removed += not_wire - netlist.gates.size();
}

void sweep_dead(Netlist& netlist, std::vector<PassStats>& stats) {
  const std::size_t gates = netlist.gates.size();
  remove_dead_gates(netlist);
  stats[kDead].removed += gates - netlist.gates.size();
}

}  // namespace

std::span<const Pass> passes() {
  return kPasses;
}

SimplifyStats simplify(Netlist& netlist) {
  SimplifyStats stats;
  for (const Pass& pass : kPasses) stats.passes.push_back({pass.name, 0});
  stats.gates_before = netlist.gates.size();
  sweep(
      netlist, [](const NetGate& gate, const auto& keep) { return keep(gate); }, stats.passes);
  sweep_dead(netlist, stats.passes);
  stats.gates_unshared = netlist.gates.size();
  // Sharing makes operands equal, which folds more gates behind them.
  sweep(netlist, ShareEqualGates(netlist), stats.passes);
  sweep_dead(netlist, stats.passes);
  stats.gates_after = netlist.gates.size();
  return stats;
}

}  // namespace firn::circuit
