#include "firn/circuit/lower.h"

#include <array>

#include "firn/base/error.h"

namespace firn {

namespace {

// How many inputs stand for the border of a layer.
std::size_t border_cells(const BooleanLayer& layer) {
  const std::size_t padding = padding_of(layer);
  return padding == 0 ? 0 : RowLayout{input_shape(layer), padding}.rows();
}

class Lowering {
 public:
  Lowering(const BooleanNetwork& network, Padding padding) : padding_(padding) {
    std::size_t unknown = 0;
    if (padding == Padding::kUnknown)
      for (const BooleanLayer& layer : network.layers) unknown += border_cells(layer);
    netlist_.inputs = network.input.size() + unknown;
    FIRN_CHECK(netlist_.inputs + unrolled_gates(network) < kMaxNodes);
    netlist_.gates.reserve(unrolled_gates(network));
    next_unknown_ = network.input.size();
    for (std::size_t i = 0; i < network.input.size(); ++i) features_.push_back(netlist_.input(i));
  }

  void add(const BooleanLayer& layer, std::size_t index) {
    layer_ = static_cast<std::uint16_t>(index);
    FIRN_CHECK(features_.size() == input_shape(layer).size());
    std::vector<Wire> out;
    out.reserve(output_shape(layer).size());
    if (const auto* conv = std::get_if<BooleanConv>(&layer)) add_conv(*conv, out);
    if (const auto* dense = std::get_if<BooleanDense>(&layer)) add_dense(*dense, out);
    if (const auto* pool = std::get_if<BooleanPool>(&layer)) add_pool(*pool, out);
    if (padding_ == Padding::kUnknown) next_unknown_ += border_cells(layer);
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

  Wire any_of(const std::array<Wire, 4>& wires) {
    return add_gate(Gate::kOr, add_gate(Gate::kOr, wires[0], wires[1]), add_gate(Gate::kOr, wires[2], wires[3]));
  }

  void add_dense(const BooleanDense& dense, std::vector<Wire>& out) {
    for (std::size_t n = 0; n < dense.gates.size(); ++n)
      out.push_back(add_gate(dense.gates[n], features_[dense.wires[2 * n]], features_[dense.wires[2 * n + 1]]));
  }

  void add_pool(const BooleanPool& pool, std::vector<Wire>& out) {
    const RowLayout in{pool.in, 0};
    for (std::size_t c = 0; c < pool.out.channels; ++c)
      for (std::size_t y = 0; y < pool.out.height; ++y)
        for (std::size_t x = 0; x < pool.out.width; ++x)
          out.push_back(any_of({features_[in.row(c, 2 * y, 2 * x)], features_[in.row(c, 2 * y, 2 * x + 1)],
                                features_[in.row(c, 2 * y + 1, 2 * x)], features_[in.row(c, 2 * y + 1, 2 * x + 1)]}));
  }

  void add_conv(const BooleanConv& conv, std::vector<Wire>& out) {
    // The whole input with its border, so that a leaf is found without asking where the image ends.
    const RowLayout in{conv.in, conv.padding};
    std::vector<Wire> cells(in.rows(), kFalse);
    if (padding_ == Padding::kUnknown && conv.padding != 0)
      for (std::size_t r = 0; r < cells.size(); ++r) cells[r] = netlist_.input(next_unknown_ + r);
    for (std::size_t f = 0; f < features_.size(); ++f) cells[in.row_of_feature(f)] = features_[f];

    for (std::size_t k = 0; k < conv.out.channels; ++k)
      for (std::size_t y = 0; y < conv.out.height; ++y)
        for (std::size_t x = 0; x < conv.out.width; ++x) {
          if (conv.pool == 1) {
            out.push_back(add_tree(conv, in, cells, k, y, x));
            continue;
          }
          std::array<Wire, 4> window;
          for (std::size_t p = 0; p < 4; ++p) window[p] = add_tree(conv, in, cells, k, 2 * y + p / 2, 2 * x + p % 2);
          out.push_back(any_of(window));
        }
  }

  // The tree of kernel k at position (y, x) before pooling.
  Wire add_tree(const BooleanConv& conv, const RowLayout& in, const std::vector<Wire>& cells, std::size_t k,
                std::size_t y, std::size_t x) {
    const std::size_t leaves = std::size_t{1} << conv.depth;
    const std::size_t corner = y * conv.stride * in.line() + x * conv.stride;  // of the window, in the first channel
    level_.clear();
    for (std::size_t l = k * leaves; l < (k + 1) * leaves; ++l) {
      const std::size_t line = conv.leaf_place[l] / conv.side, column = conv.leaf_place[l] % conv.side;
      level_.push_back(cells[conv.leaf_channel[l] * in.plane() + corner + line * in.line() + column]);
    }
    const Gate* gate = conv.gates.data() + k * (leaves - 1);
    for (std::size_t width = leaves / 2; width > 0; width /= 2)
      for (std::size_t i = 0; i < width; ++i) level_[i] = add_gate(*gate++, level_[2 * i], level_[2 * i + 1]);
    return level_[0];
  }

  Padding padding_;
  Netlist netlist_;
  std::vector<Wire> features_;  // the outputs of the layer before
  std::vector<Wire> level_;     // of the tree under construction
  std::size_t next_unknown_ = 0;
  std::uint16_t layer_ = 0;
};

}  // namespace

std::size_t unrolled_gates(const BooleanLayer& layer) {
  const std::size_t outputs = output_shape(layer).size();
  if (const auto* conv = std::get_if<BooleanConv>(&layer)) {
    const std::size_t tree = (std::size_t{1} << conv->depth) - 1;
    return outputs * (conv->pool == 1 ? tree : 4 * tree + 3);
  }
  return std::holds_alternative<BooleanPool>(layer) ? 3 * outputs : outputs;
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

}  // namespace firn
