#include "firn/discretize/drawn_circuit.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "firn/base/error.h"
#include "firn/discretize/candidates.h"
#include "firn/kernels/bits.h"

namespace firn::discretize {
namespace {

// The unit that a gate belongs to as a layer of its own, and the input features that it reads.
struct Slice {
  BooleanLayer layer;
  std::vector<std::size_t> features;
};

Slice slice_of(const BooleanLayer& layer, std::size_t index) {
  const LayerDescription& all = layer.wiring;
  const std::size_t unit = index / all.gates;
  const auto part = [&](const auto& from, std::size_t count) {
    std::remove_cvref_t<decltype(from)> taken;
    if (!from.empty()) taken.assign(from.data() + unit * count, from.data() + (unit + 1) * count);
    return taken;
  };
  std::vector<std::uint32_t> channels = part(all.tap_channel, all.taps);
  std::ranges::sort(channels);
  channels.erase(std::unique(channels.begin(), channels.end()), channels.end());
  Slice slice;
  LayerDescription& own = slice.layer.wiring;
  static_cast<LayerFrame&>(own) = all;
  own.input.channels = channels.size();
  own.output.channels = 1;
  own.tap_channel = part(all.tap_channel, all.taps);
  own.tap_place = part(all.tap_place, all.taps);
  for (std::uint32_t& channel : own.tap_channel)
    channel = static_cast<std::uint32_t>(std::ranges::lower_bound(channels, channel) - channels.begin());
  slice.layer.gates = part(layer.gates, all.gates);
  const std::size_t plane = all.input.height * all.input.width;
  for (std::uint32_t channel : channels)
    for (std::size_t p = 0; p < plane; ++p) slice.features.push_back(channel * plane + p);
  return slice;
}

Matrix<std::uint64_t> run_alone(const BooleanLayer& layer, const Matrix<std::uint64_t>& in, Threads& threads) {
  BooleanNetwork network;
  network.input = layer.wiring.input;
  network.layers.push_back(layer);
  return BitEvaluator(network, in.cols()).run(in, threads);
}

BooleanNetwork part_of(const BooleanNetwork& network, std::size_t first, std::size_t last) {
  BooleanNetwork part;
  part.input = first < last ? network.layers[first].wiring.input : network.input;
  for (std::size_t l = first; l < last; ++l) part.layers.push_back(network.layers[l]);
  return part;
}

std::size_t draw_slot(const float* weights, RandomSequence& random) {
  float rest = random.uniform();
  for (std::size_t k = 0; k < kSlots; ++k)
    if ((rest -= weights[k]) < 0) return k;
  return static_cast<std::size_t>(std::max_element(weights, weights + kSlots) - weights);  // the sum was rounded down
}

}  // namespace

WiredGate gate_at(const BooleanLayer& layer, std::size_t index) {
  WiredGate gate{.gate = layer.gates[index]};
  gate.has_taps = layer.wiring.gates == 1 && layer.wiring.taps == 2;
  for (std::size_t side = 0; gate.has_taps && side < 2; ++side) {
    gate.channels[side] = layer.wiring.tap_channel[2 * index + side];
    if (!layer.wiring.tap_place.empty()) gate.places[side] = layer.wiring.tap_place[2 * index + side];
  }
  return gate;
}

void set_gate(BooleanLayer& layer, std::size_t index, const WiredGate& gate) {
  layer.gates[index] = gate.gate;
  for (std::size_t side = 0; gate.has_taps && side < 2; ++side) {
    layer.wiring.tap_channel[2 * index + side] = gate.channels[side];
    if (!layer.wiring.tap_place.empty()) layer.wiring.tap_place[2 * index + side] = gate.places[side];
  }
}

WiredGate wired_slot(const LayerDescription& wiring, const Neurons& neurons, std::size_t i, std::size_t slot) {
  WiredGate gate{.gate = neurons.gate(i, slot)};
  gate.has_taps = wiring.has_own_slots;
  for (std::size_t side = 0; gate.has_taps && side < 2; ++side) {
    const std::size_t tap = i * wiring.taps + 2 * slot + side;
    gate.channels[side] = wiring.tap_channel[tap];
    if (!wiring.tap_place.empty()) gate.places[side] = wiring.tap_place[tap];
  }
  return gate;
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

DrawnCircuit::DrawnCircuit(BooleanNetwork circuit, std::size_t layer, const Matrix<std::uint64_t>& input,
                           const Truths& truths, const Loss& loss)
    : layer_(circuit.layers[layer]),
      above_(part_of(circuit, layer + 1, circuit.layers.size())),
      head_(circuit.head),
      truths_(truths),
      loss_(loss),
      counts_(circuit.head.groups * 64 * input.cols()),
      class_sums_(circuit.head.groups, 64 * input.cols()) {
  FIRN_CHECK(input.cols() % 8 == 0);
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
  const Slice slice = slice_of(layer_, index);
  set_gate(layer_, index, before);
  Matrix<std::uint64_t> rows(slice.features.size(), in_.cols());
  for (std::size_t f = 0; f < slice.features.size(); ++f)
    std::copy_n(in_.row(slice.features[f]), in_.cols(), rows.row(f));
  return {index / layer_.wiring.gates * layer_.wiring.unit_outputs(), run_alone(slice.layer, rows, alone_)};
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
  count_bits(head_.groups, rows.rows() / head_.groups, in_.cols(), rows.data(), counts_.data());
  for (std::size_t c = 0; c < head_.groups; ++c)
    for (std::size_t s = 0; s < truths_.size(); ++s)
      class_sums_.row(c)[s] = head_.offset + head_.factor * static_cast<float>(counts_[c * 64 * in_.cols() + s]);
  return loss_(class_sums_, truths_, 1, nullptr).loss;
}

}  // namespace firn::discretize
