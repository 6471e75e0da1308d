#include "firn/model/layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace firn::model {

namespace {

// Slot j starts with gate j in every neuron, unless slots are wires.
std::vector<std::uint8_t> initial_opcodes(const LayerDescription& part) {
  std::vector<std::uint8_t> opcodes(part.neurons() * kSlots, static_cast<std::uint8_t>(Gate::kA));
  if (part.slots_are_wires) return opcodes;
  for (std::size_t j = 0; j < opcodes.size(); ++j) opcodes[j] = static_cast<std::uint8_t>(j % kSlots);
  return opcodes;
}

std::string describe_part(const LayerDescription& part) {
  std::string text = part.kind;
  if (part.window.size() > 1 || part.is_convolution)
    text += fmt::format(" {}x{}", part.window.height, part.window.width);
  if (part.border() > 0) text += fmt::format(" pad {}", part.border());
  if (part.stride > 1) text += fmt::format(" stride {}", part.stride);
  if (part.gates > 1) text += fmt::format(", {} gates per unit", part.gates);
  if (part.pool.size() > 1) text += fmt::format(", OR-pool {}x{}", part.pool.height, part.pool.width);
  return text;
}

}  // namespace

Layer::Layer(std::span<LayerDescription> parts)
    : parts_(parts), input_{parts.front().input, parts.front().border()}, output_{parts.back().output, 0} {
  for (const LayerDescription& part : parts_) {
    if (part.gates == 0) continue;
    Neurons& neurons = own_.emplace_back(part.name, part.neurons(), part.is_convolution);
    if (part.has_own_slots) neurons.opcodes = initial_opcodes(part);
    neurons_.push_back(&neurons);
  }
}

void Layer::initialize(const Initialization& how, RandomSequence& random) {
  for (Neurons* neurons : neurons_) {
    const float residual = how.residual != 0 ? how.residual : neurons->has_opcodes() ? std::log(135.f) : 5.f;
    if (how.gaussian)
      initialize_gaussian(*neurons, random);
    else
      initialize_residual(*neurons, residual);
  }
}

void Layer::weight_gradient(std::size_t, const float* sums, std::size_t first, RowList rows,
                            float* grad_weights) const {
  FIRN_CHECK(sum_width() == kSlots && neurons_.size() == 1);
  for (std::size_t r = 0; r < rows.count; ++r)
    std::copy_n(sums + (first + rows[r]) * kSlots, kSlots, grad_weights + rows[r] * kSlots);
}

std::size_t Layer::sum_rows() const {
  std::size_t rows = 0;
  for (const Neurons* neurons : neurons_) rows += neurons->count();
  return rows;
}

std::size_t Layer::backward_applications() const {
  std::size_t count = 0;
  for (const LayerDescription& part : parts_)
    count += part.output.size() * part.gates * (part.has_own_slots ? kSlots : 1);
  return count;
}

std::size_t Layer::forward_applications() const {
  std::size_t count = 0;
  for (const LayerDescription& part : parts_)
    count += part.units() * part.placements() * part.gates * (part.has_own_slots ? kSlots : 1);
  return count;
}

std::vector<BooleanLayer> Layer::harden() const {
  std::vector<BooleanLayer> layers;
  std::size_t group = 0;
  for (const LayerDescription& part : parts_) {
    if (part.gates == 0) {
      layers.push_back({part, {}});
      continue;
    }
    const Neurons& neurons = *neurons_[group++];
    layers.push_back(network::harden(part, neurons.chosen_slots(), neurons.opcodes));
  }
  return layers;
}

void Layer::visit_state(StateVisitor& visitor) {
  std::size_t group = 0;
  for (LayerDescription& part : parts_) {
    if (part.gates > 0) neurons_[group++]->visit_state(visitor);
    visit_wiring(part, visitor);
  }
}

void Layer::update_rows(std::size_t index, const WeightPlan& plan, std::size_t first, std::size_t count) {
  for_each_chunk(first, count, [&](std::size_t chunk, std::size_t rows) {
    RowNumbers room;
    take_weights(index, chunk, neurons_[index]->update_weights(plan, chunk, rows, room));
  });
}

void Layer::rewire() {
  for (const Neurons* neurons : neurons_) neurons->check_state();
  for (const LayerDescription& part : parts_) check_wiring(part);
  derive();
  for (Neurons* neurons : neurons_) neurons->forget_settled();
}

std::string Layer::describe() const {
  std::string text = describe_part(parts_.front());
  const std::string more = remark();
  return more.empty() ? text : text + ", " + more;
}

}  // namespace firn::model
