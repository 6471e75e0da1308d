#include "firn/theory/gate_list.h"

#include <variant>

#include "firn/model/layers/group_sum.h"

namespace firn {
namespace {

using Wires = std::vector<std::uint32_t>;  // [feature]

class Lister {
 public:
  explicit Lister(GateList& list) : list_(list) {}

  Wires add(const BooleanDense& dense, const Wires& in) {
    Wires out;
    for (std::size_t n = 0; n < dense.gates.size(); ++n)
      out.push_back(apply(first_neuron_ + n, in[dense.wires[2 * n]], in[dense.wires[2 * n + 1]]));
    first_neuron_ += dense.gates.size();
    return out;
  }

  Wires add(const BooleanConv& conv, const Wires& in) {
    const Shape before{conv.out.channels, conv.out.height * conv.pool, conv.out.width * conv.pool};
    Wires roots;
    for (std::size_t k = 0; k < before.channels; ++k)
      for (std::size_t y = 0; y < before.height; ++y)
        for (std::size_t x = 0; x < before.width; ++x)
          roots.push_back(tree(conv, in, k, y * conv.stride, x * conv.stride));
    list_.is_shared = list_.is_shared || before.height * before.width > 1;
    first_neuron_ += conv.gates.size();
    return conv.pool == 1 ? roots : pool(before, roots);
  }

  Wires add(const BooleanPool& layer, const Wires& in) { return pool(layer.in, in); }

 private:
  std::uint32_t apply(std::size_t neuron, std::uint32_t a, std::uint32_t b) {
    list_.applications.push_back({static_cast<std::uint32_t>(neuron), a, b});
    return static_cast<std::uint32_t>(list_.inputs + list_.applications.size() - 1);
  }

  // The root of kernel k where its window starts at line y and column x of the padded input.
  std::uint32_t tree(const BooleanConv& conv, const Wires& in, std::size_t k, std::size_t y, std::size_t x) {
    const std::size_t leaves = std::size_t{1} << conv.depth;
    Wires nodes;
    for (std::size_t l = k * leaves; l < (k + 1) * leaves; ++l) {
      const std::size_t line = y + conv.leaf_place[l] / conv.side, column = x + conv.leaf_place[l] % conv.side;
      const bool outside = line < conv.padding || column < conv.padding || line - conv.padding >= conv.in.height ||
                           column - conv.padding >= conv.in.width;
      const std::size_t plane = conv.leaf_channel[l] * conv.in.height;
      nodes.push_back(outside ? kZeroWire : in[(plane + line - conv.padding) * conv.in.width + column - conv.padding]);
    }
    for (std::size_t g = 0; g + 1 < leaves; ++g)
      nodes.push_back(apply(first_neuron_ + k * (leaves - 1) + g, nodes[2 * g], nodes[2 * g + 1]));
    return nodes.back();
  }

  Wires pool(const Shape& before, const Wires& in) {
    list_.has_pool = true;
    Wires out;
    for (std::size_t c = 0; c < before.channels; ++c)
      for (std::size_t y = 0; y < before.height; y += 2)
        for (std::size_t x = 0; x < before.width; x += 2) {
          const std::size_t first = (c * before.height + y) * before.width + x;
          const std::uint32_t above = apply(kPoolGate, in[first], in[first + 1]);
          const std::uint32_t below = apply(kPoolGate, in[first + before.width], in[first + before.width + 1]);
          out.push_back(apply(kPoolGate, above, below));
        }
    return out;
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
  for (const BooleanLayer& layer : model.harden().layers)
    wires = std::visit([&](const auto& l) { return lister.add(l, wires); }, layer);
  const auto* head = dynamic_cast<const GroupSumLayer*>(&model.layer(model.layer_count() - 1));
  FIRN_CHECK(head != nullptr);
  list.outputs = wires;
  list.groups = model.outputs();
  list.factor = head->factor();
  list.offset = head->offset();
  return list;
}

}  // namespace firn
