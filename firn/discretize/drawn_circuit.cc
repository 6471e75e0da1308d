#include "firn/discretize/drawn_circuit.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "firn/base/error.h"
#include "firn/discretize/candidates.h"
#include "firn/kernels/bits.h"
#include "firn/model/layers/group_sum.h"

namespace firn {
namespace {

// One gate or one kernel of a layer as a layer of its own, and the input features that it reads.
struct Slice {
  BooleanLayer layer;
  std::vector<std::size_t> features;
};

Slice slice_of(const BooleanDense& dense, std::size_t index) {
  return {BooleanDense{2, {0, 1}, {dense.gates[index]}}, {dense.wires[2 * index], dense.wires[2 * index + 1]}};
}

// The whole tree that gate `index` belongs to, on the channels that its leaves read.
Slice slice_of(const BooleanConv& conv, std::size_t index) {
  const std::size_t leaves = std::size_t{1} << conv.depth, kernel = index / (leaves - 1);
  const auto part = [&](const auto& all, std::size_t count) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(kernel * count);
    return std::remove_cvref_t<decltype(all)>(first, first + static_cast<std::ptrdiff_t>(count));
  };
  BooleanConv tree{.in = conv.in,
                   .out = {1, conv.out.height, conv.out.width},
                   .depth = conv.depth,
                   .side = conv.side,
                   .padding = conv.padding,
                   .stride = conv.stride,
                   .pool = conv.pool,
                   .leaf_channel = part(conv.leaf_channel, leaves),
                   .leaf_place = part(conv.leaf_place, leaves),
                   .gates = part(conv.gates, leaves - 1)};
  std::vector<std::uint32_t> channels = tree.leaf_channel;
  std::ranges::sort(channels);
  channels.erase(std::unique(channels.begin(), channels.end()), channels.end());
  for (std::uint32_t& channel : tree.leaf_channel)
    channel = static_cast<std::uint32_t>(std::ranges::lower_bound(channels, channel) - channels.begin());
  tree.in.channels = channels.size();
  Slice slice{tree, {}};
  const std::size_t plane = conv.in.height * conv.in.width;
  for (std::uint32_t channel : channels)
    for (std::size_t p = 0; p < plane; ++p) slice.features.push_back(channel * plane + p);
  return slice;
}

Slice slice_of(const BooleanPool&, std::size_t) {
  FIRN_CHECK(false && "a pool has no gates to exchange");
  return {};
}

Matrix<std::uint64_t> run_alone(const BooleanLayer& layer, const Matrix<std::uint64_t>& in, Threads& threads) {
  BooleanNetwork network;
  network.input = input_shape(layer);
  network.layers.push_back(layer);
  return BitEvaluator(network, in.cols()).run(in, threads);
}

BooleanNetwork part_of(const BooleanNetwork& network, std::size_t first, std::size_t last) {
  BooleanNetwork part;
  part.input = first < last ? input_shape(network.layers[first]) : network.input;
  for (std::size_t l = first; l < last; ++l) {
    part.names.push_back(network.names[l]);
    part.layers.push_back(network.layers[l]);
  }
  return part;
}

// Where the outputs of gate `index`, or of the tree it belongs to, begin among the layer's.
std::size_t first_output(const BooleanLayer& layer, std::size_t index) {
  const auto* conv = std::get_if<BooleanConv>(&layer);
  if (conv == nullptr) return index;
  return index / ((std::size_t{1} << conv->depth) - 1) * conv->out.height * conv->out.width;
}

std::size_t draw_slot(const float* weights, RandomSequence& random) {
  float rest = random.uniform();
  for (std::size_t k = 0; k < kSlots; ++k)
    if ((rest -= weights[k]) < 0) return k;
  return static_cast<std::size_t>(std::max_element(weights, weights + kSlots) - weights);  // the sum was rounded down
}

}  // namespace

WiredGate gate_at(const BooleanLayer& layer, std::size_t index) {
  const std::size_t a = 2 * index, b = a + 1;
  if (const auto* dense = std::get_if<BooleanDense>(&layer))
    return {dense->gates[index], {dense->wires[a], dense->wires[b]}, {}};
  const auto& conv = std::get<BooleanConv>(layer);
  if (conv.depth > 1) return {conv.gates[index], {}, {}};
  return {conv.gates[index], {conv.leaf_channel[a], conv.leaf_channel[b]}, {conv.leaf_place[a], conv.leaf_place[b]}};
}

void set_gate(BooleanLayer& layer, std::size_t index, const WiredGate& gate) {
  auto* dense = std::get_if<BooleanDense>(&layer);
  auto* conv = std::get_if<BooleanConv>(&layer);
  (dense != nullptr ? dense->gates : conv->gates)[index] = gate.gate;
  for (std::size_t operand = 0; operand < 2; ++operand) {
    if (dense != nullptr) dense->wires[2 * index + operand] = gate.wires[operand];
    if (conv == nullptr || conv->depth > 1) continue;
    conv->leaf_channel[2 * index + operand] = gate.wires[operand];
    conv->leaf_place[2 * index + operand] = gate.places[operand];
  }
}

std::size_t boolean_layer_of(const BooleanNetwork& network, std::size_t group) {
  for (std::size_t l = 0, seen = 0; l < network.layers.size(); ++l)
    if (!std::holds_alternative<BooleanPool>(network.layers[l]) && seen++ == group) return l;
  FIRN_CHECK(false && "a group without a layer");
  return 0;
}

BooleanNetwork draw_circuit(Model& model, double temperature, RandomSequence& random) {
  std::vector<std::vector<std::int8_t>> frozen;
  for (Neurons* group : model.neurons()) {
    frozen.push_back(group->frozen);
    for (std::size_t i = 0; i < group->count(); ++i) {
      if (group->frozen[i] != kNotFrozen) continue;
      const SlotWeights weights = slot_weights(*group, i, temperature);
      group->frozen[i] = static_cast<std::int8_t>(draw_slot(weights.values, random));
    }
  }
  BooleanNetwork circuit = model.harden();
  for (std::size_t g = 0; g < frozen.size(); ++g) model.neurons()[g]->frozen = frozen[g];
  return circuit;
}

DrawnCircuit::DrawnCircuit(BooleanNetwork circuit, std::size_t layer, const Model& model,
                           const Matrix<std::uint64_t>& input, std::span<const std::uint16_t> labels, const Loss& loss)
    : layer_(circuit.layers[layer]),
      above_(part_of(circuit, layer + 1, circuit.layers.size())),
      classes_(circuit.classes),
      labels_(labels),
      loss_(loss),
      counts_(circuit.classes * 64 * input.cols()),
      scores_(circuit.classes, 64 * input.cols()) {
  const auto* head = dynamic_cast<const GroupSumLayer*>(&model.layer(model.layer_count() - 1));
  FIRN_CHECK(head != nullptr && input.cols() % 8 == 0);
  factor_ = head->factor();
  offset_ = head->offset();
  if (layer == 0) {
    in_ = input;
  } else {
    const BooleanNetwork below = part_of(circuit, 0, layer);
    in_ = BitEvaluator(below, input.cols()).run(input, alone_);
  }
  out_ = run_alone(layer_, in_, alone_);
  if (!above_.layers.empty()) above_evaluator_ = std::make_unique<BitEvaluator>(above_, input.cols());
}

DrawnCircuit::Outputs DrawnCircuit::outputs_with(std::size_t index, const WiredGate& gate) {
  const WiredGate before = gate_at(layer_, index);
  set_gate(layer_, index, gate);
  const Slice slice = std::visit([&](const auto& l) { return slice_of(l, index); }, layer_);
  set_gate(layer_, index, before);
  Matrix<std::uint64_t> rows(slice.features.size(), in_.cols());
  for (std::size_t f = 0; f < slice.features.size(); ++f)
    std::copy_n(in_.row(slice.features[f]), in_.cols(), rows.row(f));
  return {first_output(layer_, index), run_alone(slice.layer, rows, alone_)};
}

void DrawnCircuit::swap_into_place(Outputs& outputs) {
  for (std::size_t r = 0; r < outputs.rows.rows(); ++r)
    std::ranges::swap_ranges(outputs.rows[r], out_[outputs.first + r]);
}

double DrawnCircuit::loss_with(std::size_t index, const WiredGate& gate) {
  Outputs outputs = outputs_with(index, gate);
  swap_into_place(outputs);
  const double sum = loss();
  swap_into_place(outputs);
  return sum;
}

void DrawnCircuit::exchange(std::size_t index, const WiredGate& gate) {
  Outputs outputs = outputs_with(index, gate);
  swap_into_place(outputs);
  set_gate(layer_, index, gate);
}

double DrawnCircuit::loss() {
  const Matrix<std::uint64_t>& rows = above_evaluator_ ? above_evaluator_->run(out_, alone_) : out_;
  FIRN_CHECK(rows.stride() == in_.cols());
  count_bits(classes_, rows.rows() / classes_, in_.cols(), rows.data(), counts_.data());
  for (std::size_t c = 0; c < classes_; ++c)
    for (std::size_t s = 0; s < labels_.size(); ++s)
      scores_.row(c)[s] = offset_ + factor_ * static_cast<float>(counts_[c * 64 * in_.cols() + s]);
  return loss_.function(scores_, labels_, 1, nullptr).loss;
}

}  // namespace firn
