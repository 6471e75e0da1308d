#include "firn/circuit/statistics.h"

#include <algorithm>
#include <array>

#include "firn/base/error.h"
#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"

namespace firn::circuit {

namespace {

constexpr std::size_t kLutInputs = 6;

// The nodes that a look-up table reads.
struct Leaves {
  std::array<std::uint32_t, kLutInputs> node{};
  std::uint32_t count = 0;

  bool add(std::uint32_t leaf) {
    if (std::find(node.begin(), node.begin() + count, leaf) != node.begin() + count) return true;
    if (count == kLutInputs) return false;
    node[count++] = leaf;
    return true;
  }
  bool add(const Leaves& other) {
    return std::all_of(other.node.begin(), other.node.begin() + other.count, [&](auto leaf) { return add(leaf); });
  }
};

// Chooses, gate by gate from the inputs, which operands a table computes itself.
class LutCover {
 public:
  explicit LutCover(const Netlist& netlist) : netlist_(netlist), uses_(netlist.nodes()), leaves_(netlist.gates.size()) {
    for (const NetGate& gate : netlist.gates)
      for (Wire wire : {gate.a, gate.b}) ++uses_[wire.node()];
    for (Wire output : netlist.outputs) ++uses_[output.node()];
  }

  std::size_t count() {
    std::size_t tables = netlist_.gates.size();
    for (std::size_t g = 0; g < netlist_.gates.size(); ++g) tables -= cover(g);
    return tables;
  }

 private:
  bool can_swallow(std::uint32_t node) const { return netlist_.is_gate(node) && uses_[node] == 1; }
  const Leaves& leaves_of(std::uint32_t node) const { return leaves_[node - netlist_.first_gate()]; }

  // Sets the leaves of gate g and returns how many operands it swallowed.
  std::size_t cover(std::size_t g) {
    std::uint32_t a = netlist_.gates[g].a.node(), b = netlist_.gates[g].b.node();
    if (can_swallow(b) && (!can_swallow(a) || leaves_of(b).count > leaves_of(a).count)) std::swap(a, b);
    // Both operands, else the one with more leaves, else the other, else none.
    constexpr std::array<std::array<bool, 2>, 4> kChoices = {{{true, true}, {true, false}, {false, true}, {}}};
    for (const auto& [take_a, take_b] : kChoices) {
      if ((take_a && !can_swallow(a)) || (take_b && !can_swallow(b))) continue;
      Leaves merged;
      if ((take_a ? merged.add(leaves_of(a)) : merged.add(a)) && (take_b ? merged.add(leaves_of(b)) : merged.add(b))) {
        leaves_[g] = merged;
        return std::size_t{take_a} + take_b;
      }
    }
    FIRN_CHECK(false);  // two operands always fit
    return 0;
  }

  const Netlist& netlist_;
  std::vector<std::uint32_t> uses_;
  std::vector<Leaves> leaves_;
};

}  // namespace

CircuitCost circuit_cost(const Netlist& netlist, const BooleanNetwork& network) {
  CircuitCost cost;
  for (std::size_t i = 0; i < network.layers.size(); ++i)
    cost.layers.push_back({.name = network.layers[i].wiring.name, .unrolled = unrolled_gates(network.layers[i])});
  const std::vector<std::uint32_t> depths = node_depths(netlist);
  for (std::size_t g = 0; g < netlist.gates.size(); ++g) {
    LayerCost& layer = cost.layers[netlist.gates[g].layer];
    ++(netlist.gates[g].op == Gate::kXor ? layer.xor_gates : layer.and_gates);
    layer.depth = std::max<std::size_t>(layer.depth, depths[netlist.first_gate() + g]);
    cost.depth = std::max(cost.depth, layer.depth);
  }
  cost.luts = lut_estimate(netlist);
  return cost;
}

std::size_t lut_estimate(const Netlist& netlist) {
  return LutCover(netlist).count();
}

std::size_t gates_with_adders(const BooleanNetwork& network) {
  constexpr std::size_t kAdderGates = 7;
  Netlist netlist = lower(network, Padding::kUnknown);
  simplify(netlist);
  return netlist.gates.size() + kAdderGates * netlist.outputs.size();
}

}  // namespace firn::circuit
