#include "firn/circuit/lower.h"

#include <fmt/core.h>

#include "firn/base/error.h"
#include "firn/base/memory.h"

namespace firn::circuit {

namespace {

// How many inputs stand for the border of a layer.
std::size_t border_cells(const LayerDescription& layer) {
  return layer.border() == 0 ? 0 : RowLayout{layer.input, layer.border()}.rows();
}

// Throws an Error where nodes are more than literals can name, or gates more than memory can hold.
void check_size(std::size_t inputs, std::size_t gates) {
  if (inputs + gates >= kMaxNodes)
    throw Error(fmt::format(
        "unrolled at every position, the network would have {} gates on {} inputs, but a circuit has fewer than {} "
        "nodes; use it without unrolling, or train a smaller one",
        gates, inputs, kMaxNodes));
  require_memory(sizeof(NetGate) * static_cast<double>(gates), "unrolling this network", "network");
}

class Lowering {
 public:
  Lowering(const BooleanNetwork& network, Padding padding) : padding_(padding) {
    std::size_t unknown = 0;
    if (padding == Padding::kUnknown)
      for (const BooleanLayer& layer : network.layers) unknown += border_cells(layer.wiring);
    netlist_.inputs = network.input.size() + unknown;
    const std::size_t gates = unrolled_gates(network);
    check_size(netlist_.inputs, gates);
    netlist_.gates.reserve(gates);
    next_unknown_ = network.input.size();
    for (std::size_t i = 0; i < network.input.size(); ++i) features_.push_back(netlist_.input(i));
  }

  void add(const BooleanLayer& layer, std::size_t index) {
    const LayerDescription& wiring = layer.wiring;
    layer_ = static_cast<std::uint16_t>(index);
    FIRN_CHECK(features_.size() == wiring.input.size());
    // The whole input with its border, so that a tap is found without asking where the image ends.
    const RowLayout in{wiring.input, wiring.border()};
    std::vector<Wire> cells(in.rows(), kFalse);
    if (padding_ == Padding::kUnknown && in.border != 0)
      for (std::size_t r = 0; r < cells.size(); ++r) cells[r] = netlist_.input(next_unknown_ + r);
    for (std::size_t f = 0; f < features_.size(); ++f) cells[in.row_of_feature(f)] = features_[f];
    std::vector<Wire> out;
    out.reserve(wiring.output.size());
    for (std::size_t u = 0; u < wiring.units(); ++u)
      for (std::size_t o = 0; o < wiring.unit_outputs(); ++o) out.push_back(add_output(layer, in, cells, u, o));
    if (padding_ == Padding::kUnknown) next_unknown_ += border_cells(wiring);
    features_ = std::move(out);
  }

  Netlist finish() {
    netlist_.outputs = std::move(features_);
    return std::move(netlist_);
  }

 private:
  Wire add_gate(Gate op, Wire a, Wire b) {
    netlist_.gates.push_back({a, b, op, layer_});
    return netlist_.gate(netlist_.gates.size() - 1);
  }

  Wire add_output(const BooleanLayer& layer, const RowLayout& in, const std::vector<Wire>& cells, std::size_t unit,
                  std::size_t output) {
    const LayerDescription& wiring = layer.wiring;
    std::vector<Wire> placed;
    for (std::size_t p = 0; p < wiring.pool.size(); ++p) {
      const std::size_t y = output / wiring.output.width * wiring.pool.height + p / wiring.pool.width;
      const std::size_t x = output % wiring.output.width * wiring.pool.width + p % wiring.pool.width;
      placed.push_back(add_unit(layer, in, cells, unit, wiring.stride * (y * in.line() + x)));
    }
    // Pairs, then pairs of pairs: as flat as possible.
    for (std::size_t count = placed.size(); count > 1; count = (count + 1) / 2)
      for (std::size_t i = 0; i < (count + 1) / 2; ++i)
        placed[i] = 2 * i + 1 < count ? add_gate(Gate::kOr, placed[2 * i], placed[2 * i + 1]) : placed[2 * i];
    return placed.front();
  }

  // A unit at the placement that lies `offset` rows after the first.
  Wire add_unit(const BooleanLayer& layer, const RowLayout& in, const std::vector<Wire>& cells, std::size_t unit,
                std::size_t offset) {
    const LayerDescription& wiring = layer.wiring;
    nodes_.clear();
    for (std::size_t t = 0; t < wiring.taps; ++t) nodes_.push_back(cells[wiring.first_row(unit, t, in) + offset]);
    for (std::size_t g = 0; g < wiring.gates; ++g)
      nodes_.push_back(add_gate(layer.gates[unit * wiring.gates + g], nodes_[wiring.operands[2 * g]],
                                nodes_[wiring.operands[2 * g + 1]]));
    return nodes_.back();
  }

  Padding padding_;
  Netlist netlist_;
  std::vector<Wire> features_;  // the outputs of the layer before
  std::vector<Wire> nodes_;     // of the tree under construction
  std::size_t next_unknown_ = 0;
  std::uint16_t layer_ = 0;
};

}  // namespace

std::size_t unrolled_gates(const BooleanLayer& layer) {
  const LayerDescription& wiring = layer.wiring;
  return wiring.output.size() * (wiring.pool.size() * (wiring.gates + 1) - 1);
}

std::size_t unrolled_gates(const BooleanNetwork& network) {
  std::size_t gates = 0;
  for (const BooleanLayer& layer : network.layers) gates += unrolled_gates(layer);
  return gates;
}

Netlist lower(const BooleanNetwork& network, Padding padding) {
  Lowering lowering(network, padding);
  for (std::size_t i = 0; i < network.layers.size(); ++i) lowering.add(network.layers[i], i);
  return lowering.finish();
}

}  // namespace firn::circuit
