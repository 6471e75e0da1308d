#include "firn/model/layers/slot_conv.h"

#include <fmt/core.h>

#include <algorithm>

#include "firn/base/error.h"
#include "firn/kernels/slots.h"
#include "firn/model/layers/slot_table.h"

namespace firn {

namespace {

Shape strided_shape(const std::string& name, Shape in, const SlotConvSettings& s) {
  if (s.side * s.side > kMaxTaps)
    throw Error(fmt::format("layer {}: a window of {}x{} is too large; at most 5x5", name, s.side, s.side));
  if (in.height + 2 * s.padding < s.side || in.width + 2 * s.padding < s.side)
    throw Error(fmt::format("layer {}: a {}x{} window does not fit an input of {}x{}", name, s.side, s.side, in.height,
                            in.width));
  return {s.kernels, (in.height + 2 * s.padding - s.side) / s.stride + 1,
          (in.width + 2 * s.padding - s.side) / s.stride + 1};
}

}  // namespace

SlotConvLayer::SlotConvLayer(std::string name, Shape in, const SlotConvSettings& settings, const Initialization& init,
                             RandomSequence& random)
    : Layer(name, {in, settings.padding}, {strided_shape(name, in, settings), 0}),
      settings_(settings),
      neurons_(name, settings.kernels, /*convolutional=*/true) {
  add_neurons(neurons_);
  initialize(neurons_, init, random);
  neurons_.opcodes = initial_opcodes(settings.kernels);
  const auto places = static_cast<std::uint32_t>(settings.side * settings.side);
  for (std::size_t i = 0; i < settings.kernels * kSlots; ++i) {
    const std::uint32_t a = random.below(places);
    std::uint32_t b = random.below(places);
    while (a == b && places > 1) b = random.below(places);
    taps_.push_back(static_cast<std::uint8_t>(a));
    taps_.push_back(static_cast<std::uint8_t>(b));
  }
  for (std::size_t k = 0; k < settings.kernels; ++k)
    first_rows_.push_back(static_cast<std::uint32_t>(channel(k) * input().plane()));
}

void SlotConvLayer::rewire() {
  neurons_.check_state();
  check_wiring(name(), taps_, settings_.side * settings_.side);
}

void SlotConvLayer::redraw_wires(std::size_t i, std::size_t slot, RandomSequence& random) {
  const auto places = static_cast<std::uint32_t>(settings_.side * settings_.side);
  for (std::size_t operand = 0; operand < 2; ++operand)
    taps_[2 * (i * kSlots + slot) + operand] = static_cast<std::uint8_t>(random.below(places));
}

SlotConv SlotConvLayer::kernel() const {
  SlotConv conv;
  conv.kernels = settings_.kernels;
  conv.side = settings_.side;
  conv.first_rows = first_rows_.data();
  conv.taps = taps_.data();
  conv.opcodes = neurons_.opcodes.data();
  conv.weights = neurons_.forward_weights.data();
  conv.frozen = neurons_.frozen.data();
  conv.table = kSlotTable.data();
  conv.stride = settings_.stride;
  conv.in_line = input().line();
  conv.out_height = output().shape.height;
  conv.out_width = output().shape.width;
  conv.out_first = output().row(0, 0, 0);
  conv.out_plane = output().plane();
  conv.out_line = output().line();
  return conv;
}

void SlotConvLayer::forward(const ForwardRows& rows) const {
  slot_conv_forward(kernel(), rows.samples, rows.in, rows.out);
}

void SlotConvLayer::backward(const BackwardRows& rows) const {
  slot_conv_backward(kernel(), rows.samples, rows.in, rows.grad_out, rows.grad_in, rows.sums);
}

void SlotConvLayer::weight_gradient(std::size_t, const float* sums, std::size_t first, std::size_t count,
                                    float* grad_weights) const {
  std::copy_n(sums + first * kSlots, count * kSlots, grad_weights);
}

std::vector<Layer::NamedBooleanLayer> SlotConvLayer::harden() const {
  BooleanConv conv;
  conv.in = input().shape;
  conv.out = output().shape;
  conv.depth = 1;
  conv.side = settings_.side;
  conv.padding = settings_.padding;
  conv.stride = settings_.stride;
  const auto slots = neurons_.chosen_slots();
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const std::size_t j = k * kSlots + slots[k];
    conv.leaf_channel.insert(conv.leaf_channel.end(), 2, channel(k));
    conv.leaf_place.insert(conv.leaf_place.end(), {taps_[2 * j], taps_[2 * j + 1]});
    conv.gates.push_back(neurons_.gate(k, slots[k]));
  }
  return {{name(), conv}};
}

void SlotConvLayer::visit_state(StateVisitor& visitor) {
  neurons_.visit_state(visitor);
  visitor.visit(name() + ".taps", taps_);
}

std::string SlotConvLayer::describe() const {
  return fmt::format("slot_conv {}x{} pad {} stride {}", settings_.side, settings_.side, settings_.padding,
                     settings_.stride);
}

}  // namespace firn
