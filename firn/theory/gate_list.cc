#include "firn/theory/gate_list.h"

namespace firn::theory {
namespace {

using Wires = std::vector<std::uint32_t>;  // [feature]

class Lister {
 public:
  explicit Lister(GateList& list) : list_(list) {}

  Wires add(const LayerDescription& layer, const Wires& in) {
    Wires out;
    for (std::size_t u = 0; u < layer.units(); ++u)
      for (std::size_t o = 0; o < layer.unit_outputs(); ++o) {
        std::uint32_t joined = unit(layer, in, u, o, 0);
        for (std::size_t p = 1; p < layer.pool.size(); ++p) joined = apply(kPoolGate, joined, unit(layer, in, u, o, p));
        out.push_back(joined);
      }
    list_.is_shared = list_.is_shared || (layer.gates > 0 && layer.placements() > 1);
    list_.has_pool = list_.has_pool || layer.pool.size() > 1;
    first_neuron_ += layer.neurons();
    return out;
  }

 private:
  std::uint32_t apply(std::size_t neuron, std::uint32_t a, std::uint32_t b) {
    list_.applications.push_back({static_cast<std::uint32_t>(neuron), a, b});
    return static_cast<std::uint32_t>(list_.inputs + list_.applications.size() - 1);
  }

  // The output of a unit at one placement.
  std::uint32_t unit(const LayerDescription& layer, const Wires& in, std::size_t unit, std::size_t output,
                     std::size_t position) {
    Wires nodes;
    for (std::size_t t = 0; t < layer.taps; ++t) {
      const std::uint32_t feature = layer.feature(unit, t, output, position);
      nodes.push_back(feature == kOutside ? kZeroWire : in[feature]);
    }
    for (std::size_t g = 0; g < layer.gates; ++g)
      nodes.push_back(apply(first_neuron_ + unit * layer.gates + g, nodes[layer.operands[2 * g]],
                            nodes[layer.operands[2 * g + 1]]));
    return nodes.back();
  }

  GateList& list_;
  std::size_t first_neuron_ = 0;
};

}  // namespace

GateList list_gates(const Model& model) {
  GateList list;
  list.inputs = model.input().shape.size();
  for (const Neurons* group : model.neurons()) {
    FIRN_CHECK(!group->has_opcodes());
    list.neurons += group->count();
  }
  Wires wires;
  for (std::size_t i = 0; i < list.inputs; ++i) wires.push_back(static_cast<std::uint32_t>(i));
  Lister lister(list);
  for (const LayerDescription& layer : model.description().layers) wires = lister.add(layer, wires);
  list.outputs = wires;
  list.groups = model.outputs();
  list.factor = model.head().factor;
  list.offset = model.head().offset;
  return list;
}

}  // namespace firn::theory
