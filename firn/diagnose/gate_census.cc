#include "firn/diagnose/gate_census.h"

#include <algorithm>
#include <array>

#include "firn/discretize/nearest_slot.h"

namespace firn::diagnose {

namespace {

// Which gates of every Boolean layer can reach an output that is counted, from the last layer back to the first.
class Liveness {
 public:
  explicit Liveness(const BooleanNetwork& network) : gates_(network.layers.size()) {
    features_.assign(network.outputs(), 1);
    for (std::size_t i = network.layers.size(); i-- > 0;) {
      std::vector<std::uint8_t> below(network.layers[i].wiring.input.size(), 0);
      visit(network.layers[i], gates_[i], below);
      features_ = std::move(below);
    }
  }
  // One flag per gate of a layer; empty for pools.
  const std::vector<std::uint8_t>& gates(std::size_t layer) const { return gates_[layer]; }

 private:
  void visit(const BooleanLayer& layer, std::vector<std::uint8_t>& live, std::vector<std::uint8_t>& below) const {
    const LayerDescription& wiring = layer.wiring;
    for (std::size_t u = 0; u < wiring.units(); ++u) {
      std::vector<std::uint8_t> node(wiring.nodes(), 0);  // taps, then gates: is it read?
      const auto first = features_.begin() + static_cast<std::ptrdiff_t>(u * wiring.unit_outputs());
      node.back() =
          std::any_of(first, first + static_cast<std::ptrdiff_t>(wiring.unit_outputs()), [](int f) { return f != 0; });
      for (std::size_t g = wiring.gates; g-- > 0;) {
        if (node[wiring.taps + g] == 0) continue;
        const Gate gate = layer.gates[u * wiring.gates + g];
        if (depends_on_a(gate)) node[wiring.operands[2 * g]] = 1;
        if (depends_on_b(gate)) node[wiring.operands[2 * g + 1]] = 1;
      }
      live.insert(live.end(), node.begin() + static_cast<std::ptrdiff_t>(wiring.taps), node.end());
      for (std::size_t t = 0; t < wiring.taps; ++t)
        if (node[t] != 0) mark_placements(wiring, u, t, below);
    }
  }

  // The input features that a tap of a unit reads for outputs that are read themselves.
  void mark_placements(const LayerDescription& wiring, std::size_t unit, std::size_t tap,
                       std::vector<std::uint8_t>& below) const {
    for (std::size_t o = 0; o < wiring.unit_outputs(); ++o) {
      if (features_[unit * wiring.unit_outputs() + o] == 0) continue;
      for (std::size_t p = 0; p < wiring.pool.size(); ++p)
        if (const std::uint32_t feature = wiring.feature(unit, tap, o, p); feature != kOutside) below[feature] = 1;
    }
  }

  std::vector<std::vector<std::uint8_t>> gates_;
  std::vector<std::uint8_t> features_;  // outputs of the layer being visited: does anybody read them?
};

// The chosen slot first, so that it wins ties.
std::array<std::size_t, kSlots> chosen_first(std::size_t chosen) {
  std::array<std::size_t, kSlots> order{chosen};
  for (std::size_t k = 0, next = 1; k < kSlots; ++k)
    if (k != chosen) order[next++] = k;
  return order;
}

}  // namespace

std::vector<GateRow> take_gate_census(const Model& model, double temperature) {
  const BooleanNetwork network = model.harden();
  const Liveness liveness(network);
  const Mixtures mixtures(model, temperature);
  std::vector<GateRow> rows;
  for (std::size_t group = 0; group < model.neurons().size(); ++group) {
    const Neurons& neurons = *model.neurons()[group];
    const auto& live = liveness.gates(boolean_layer_of(network, group));
    for (std::size_t i = 0; i < neurons.count(); ++i) {
      const std::size_t id = mixtures.groups()[group].first + i, slot = mixtures.chosen(id);
      GateRow row{
          group,       i, mixtures.gate(id, slot), slot, slot, mixtures.weights(id)[slot], mixtures.is_frozen(id),
          live[i] == 0};
      if (!row.is_frozen)
        row.nearest =
            nearest_slot(slots_on_wires(model.wiring(group), neurons, i), mixtures.weights(id), chosen_first(slot));
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace firn::diagnose
