#include "firn/diagnose/gate_census.h"

#include <algorithm>
#include <variant>

#include "firn/model/layers/slot_conv.h"
#include "firn/model/layers/slot_dense.h"

namespace firn {

namespace {

// E[g h] over independent fair bits on the (up to four) wires of two gates.
double mean_product(const GateOnWires& g, const GateOnWires& h) {
  const std::uint32_t wires[4] = {g.a, g.b, h.a, h.b};
  int bit[4];  // which of the enumerated bits a wire reads: its first equal
  for (int i = 0; i < 4; ++i) bit[i] = static_cast<int>(std::find(wires, wires + i, wires[i]) - wires);
  int both = 0;
  for (int bits = 0; bits < 16; ++bits) {
    const auto read = [&](int i) { return ((bits >> bit[i]) & 1) != 0; };
    both += eval(g.gate, read(0), read(1)) && eval(h.gate, read(2), read(3));
  }
  return both / 16.0;
}

// Which gates of every Boolean layer can reach an output that is counted, from the last layer back to the first.
class Liveness {
 public:
  explicit Liveness(const BooleanNetwork& network) : gates_(network.layers.size()) {
    features_.assign(output_shape(network.layers.back()).size(), 1);
    for (std::size_t i = network.layers.size(); i-- > 0;) {
      std::vector<std::uint8_t> below(input_shape(network.layers[i]).size(), 0);
      std::visit([&](const auto& layer) { visit(layer, gates_[i], below); }, network.layers[i]);
      features_ = std::move(below);
    }
  }
  // One flag per gate of a layer; empty for pools.
  const std::vector<std::uint8_t>& gates(std::size_t layer) const { return gates_[layer]; }

 private:
  void visit(const BooleanDense& dense, std::vector<std::uint8_t>& live, std::vector<std::uint8_t>& below) const {
    live = features_;
    for (std::size_t o = 0; o < dense.gates.size(); ++o) {
      if (live[o] == 0) continue;
      if (depends_on_a(dense.gates[o])) below[dense.wires[2 * o]] = 1;
      if (depends_on_b(dense.gates[o])) below[dense.wires[2 * o + 1]] = 1;
    }
  }

  void visit(const BooleanPool& pool, std::vector<std::uint8_t>&, std::vector<std::uint8_t>& below) const {
    for (std::size_t f = 0; f < below.size(); ++f) {
      const std::size_t area = pool.in.height * pool.in.width, c = f / area, y = f % area / pool.in.width,
                        x = f % pool.in.width;
      below[f] = features_[(c * pool.out.height + y / 2) * pool.out.width + x / 2];
    }
  }

  void visit(const BooleanConv& conv, std::vector<std::uint8_t>& live, std::vector<std::uint8_t>& below) const {
    const std::size_t leaves = std::size_t{1} << conv.depth, gates = leaves - 1,
                      area = conv.out.height * conv.out.width;
    for (std::size_t k = 0; k < conv.out.channels; ++k) {
      std::vector<std::uint8_t> node(leaves + gates, 0);  // leaves, then gates: is it read?
      const auto first = features_.begin() + static_cast<std::ptrdiff_t>(k * area);
      node.back() = std::any_of(first, first + static_cast<std::ptrdiff_t>(area), [](int f) { return f != 0; });
      for (std::size_t g = gates; g-- > 0;) {
        if (node[leaves + g] == 0) continue;
        node[2 * g] = depends_on_a(conv.gates[k * gates + g]);
        node[2 * g + 1] = depends_on_b(conv.gates[k * gates + g]);
      }
      live.insert(live.end(), node.begin() + static_cast<std::ptrdiff_t>(leaves), node.end());
      for (std::size_t l = 0; l < leaves; ++l)
        if (node[l] != 0) mark_window(conv, k, l, leaves, below);
    }
  }

  // The input features that leaf l of kernel k reads for outputs that are read themselves.
  void mark_window(const BooleanConv& conv, std::size_t k, std::size_t l, std::size_t leaves,
                   std::vector<std::uint8_t>& below) const {
    const std::size_t leaf = k * leaves + l, place = conv.leaf_place[leaf];
    for (std::size_t y = 0; y < conv.out.height * conv.pool; ++y)
      for (std::size_t x = 0; x < conv.out.width * conv.pool; ++x) {
        if (features_[(k * conv.out.height + y / conv.pool) * conv.out.width + x / conv.pool] == 0) continue;
        const std::size_t in_y = y * conv.stride + place / conv.side - conv.padding;
        const std::size_t in_x = x * conv.stride + place % conv.side - conv.padding;
        if (in_y < conv.in.height && in_x < conv.in.width)  // before the image wraps to something huge
          below[(conv.leaf_channel[leaf] * conv.in.height + in_y) * conv.in.width + in_x] = 1;
      }
  }

  std::vector<std::vector<std::uint8_t>> gates_;
  std::vector<std::uint8_t> features_;  // of the layer above the one being visited: does anybody read them?
};

// The slots of neuron i of a layer. Where all share a pair, its two operands are two different bits.
std::array<GateOnWires, kSlots> wired_slots(const Layer& layer, const Neurons& neurons, std::size_t i) {
  const auto* conv = dynamic_cast<const SlotConvLayer*>(&layer);
  const auto* dense = dynamic_cast<const SlotDenseLayer*>(&layer);
  std::array<GateOnWires, kSlots> slots;
  for (std::size_t k = 0; k < kSlots; ++k) {
    const std::size_t j = 2 * (i * kSlots + k);
    slots[k] = {neurons.gate(i, k), 0, 1};
    if (conv != nullptr) slots[k] = {neurons.gate(i, k), conv->taps()[j], conv->taps()[j + 1]};
    if (dense != nullptr) slots[k] = {neurons.gate(i, k), dense->wires()[j], dense->wires()[j + 1]};
  }
  return slots;
}

}  // namespace

std::size_t nearest_slot(const std::array<GateOnWires, kSlots>& slots, const Weights16& weights, std::size_t chosen) {
  constexpr double kTie = 1e-12;
  // |g_k - mixture|^2 without the part that all slots share.
  Weights16 distance{};
  for (std::size_t k = 0; k < kSlots; ++k) {
    distance[k] = mean_product(slots[k], slots[k]);
    for (std::size_t h = 0; h < kSlots; ++h) distance[k] -= 2 * weights[h] * mean_product(slots[k], slots[h]);
  }
  std::size_t best = chosen;
  for (std::size_t k = 0; k < kSlots; ++k)
    if (distance[k] < distance[best] - kTie) best = k;
  return best;
}

std::vector<GateRow> take_gate_census(const Model& model, double temperature) {
  const BooleanNetwork network = model.harden();
  const Liveness liveness(network);
  const Mixtures mixtures(model, temperature);
  std::vector<GateRow> rows;
  std::size_t group = 0;
  for (std::size_t l = 0; l < model.layer_count(); ++l) {
    for (const Neurons* neurons : model.layer(l).neurons()) {
      const auto found = std::find(network.names.begin(), network.names.end(), neurons->name);
      const auto& live = liveness.gates(static_cast<std::size_t>(found - network.names.begin()));
      for (std::size_t i = 0; i < neurons->count(); ++i) {
        const std::size_t id = mixtures.groups()[group].first + i, slot = mixtures.chosen(id);
        GateRow row{
            group,       i, mixtures.gate(id, slot), slot, slot, mixtures.weights(id)[slot], mixtures.is_frozen(id),
            live[i] == 0};
        if (!row.is_frozen)
          row.nearest = nearest_slot(wired_slots(model.layer(l), *neurons, i), mixtures.weights(id), slot);
        rows.push_back(row);
      }
      ++group;
    }
  }
  return rows;
}

}  // namespace firn
