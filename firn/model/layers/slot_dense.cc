#include "firn/model/layers/slot_dense.h"

#include <fmt/core.h>

#include <algorithm>

#include "firn/base/error.h"
#include "firn/kernels/slots.h"
#include "firn/model/layers/slot_table.h"
#include "firn/model/wiring.h"

namespace firn {

SlotDenseLayer::SlotDenseLayer(std::string name, Shape in, std::size_t neurons, const Initialization& init,
                               RandomSequence& random)
    : Layer(name, {in, 0}, {{neurons, 1, 1}, 0}),
      neurons_(name, neurons, /*convolutional=*/false),
      wires_(neurons * kSlots * 2),
      wire_rows_(neurons * kSlots * 2) {
  add_neurons(neurons_);
  initialize(neurons_, init, random);
  neurons_.opcodes = initial_opcodes(neurons);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    // Every slot spreads its wires evenly over the inputs, as a dense layer would.
    const auto pairs = draw_dense_wiring(DenseWiring::kRandom, in.size(), neurons, random);
    for (std::size_t i = 0; i < neurons; ++i) {
      wires_[2 * (i * kSlots + slot)] = pairs[i].a;
      wires_[2 * (i * kSlots + slot) + 1] = pairs[i].b;
    }
  }
  rewire();
}

void SlotDenseLayer::rewire() {
  neurons_.check_state();
  check_wiring(name(), wires_, input().shape.size());
  for (std::size_t i = 0; i < neurons_.count(); ++i) rewire_neuron(i);
}

void SlotDenseLayer::rewire_neuron(std::size_t i) {
  std::uint32_t recent = 0;  // a row that is in the cache anyway
  for (std::size_t j = i * kSlots; j < (i + 1) * kSlots; ++j) {
    const Gate gate = static_cast<Gate>(neurons_.opcodes[j]);
    auto a = static_cast<std::uint32_t>(input().row_of_feature(wires_[2 * j]));
    auto b = static_cast<std::uint32_t>(input().row_of_feature(wires_[2 * j + 1]));
    // An operand that the gate ignores is read from a row that is needed already: fewer rows come from far away.
    if (!depends_on_a(gate)) a = depends_on_b(gate) ? b : recent;
    if (!depends_on_b(gate)) b = a;
    recent = a;
    wire_rows_[2 * j] = a;
    wire_rows_[2 * j + 1] = b;
  }
}

void SlotDenseLayer::redraw_wires(std::size_t i, std::size_t slot, RandomSequence& random) {
  const auto inputs = static_cast<std::uint32_t>(input().shape.size());
  for (std::size_t operand = 0; operand < 2; ++operand)
    wires_[2 * (i * kSlots + slot) + operand] = random.below(inputs);
}

SlotDense SlotDenseLayer::kernel() const {
  return {neurons_.count(),       wire_rows_.data(), neurons_.opcodes.data(), neurons_.forward_weights.data(),
          neurons_.frozen.data(), kSlotTable.data()};
}

void SlotDenseLayer::forward(const ForwardRows& rows) const {
  slot_dense_forward(kernel(), rows.samples, rows.in, rows.out);
}

void SlotDenseLayer::backward(const BackwardRows& rows) const {
  SlotDense layer = kernel();
  layer.grad_run = rows.grad_out_run;
  slot_dense_backward(layer, rows.samples, rows.in, rows.grad_out, rows.grad_in, rows.sums);
}

void SlotDenseLayer::weight_gradient(std::size_t, const float* sums, std::size_t first, std::size_t count,
                                     float* grad_weights) const {
  std::copy_n(sums + first * kSlots, count * kSlots, grad_weights);
}

std::vector<Layer::NamedBooleanLayer> SlotDenseLayer::harden() const {
  BooleanDense dense;
  dense.inputs = input().shape.size();
  const auto slots = neurons_.chosen_slots();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::size_t j = i * kSlots + slots[i];
    dense.wires.insert(dense.wires.end(), {wires_[2 * j], wires_[2 * j + 1]});
    dense.gates.push_back(neurons_.gate(i, slots[i]));
  }
  return {{name(), dense}};
}

void SlotDenseLayer::visit_state(StateVisitor& visitor) {
  neurons_.visit_state(visitor);
  visitor.visit(name() + ".wires", wires_);
}

}  // namespace firn
