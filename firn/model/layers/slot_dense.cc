// Dense layer of neurons that choose among sixteen slots, each with its own gate and its own pair of inputs.
#include <algorithm>

#include "firn/kernels/pack_rows.h"
#include "firn/kernels/slot_dense.h"
#include "firn/model/fast_layers.h"

namespace firn::model {

namespace {

class SlotDenseLayer final : public Layer {
 public:
  explicit SlotDenseLayer(std::span<LayerDescription> part)
      : Layer(part),
        wiring_(part.front()),
        neurons_(*neurons().front()),
        rows_(neurons_.count(), 2 * kSlots),
        codes_(neurons_.count() * kSlots),
        counts_(neurons_.count() * 2) {
    derive();
  }

  std::size_t sum_width() const override { return kSlots; }
  bool reads_gradient_runs() const override { return true; }
  bool packs_input() const override { return true; }
  bool can_pack_output() const override { return true; }
  bool reads_bits() const override { return true; }

  void forward(const ForwardRows& rows) const override {
    if (rows.bits_in.rows != nullptr)
      return slot_bits_forward(kernel(), rows.samples, rows.bits_in, rows.out, rows.packed_out);
    if (!rows.packed_in.is_filled) pack_rows(input().rows(), rows.samples, rows.in, rows.packed_in.rows);
    slot_dense_forward(kernel(), rows.samples, rows.packed_in.rows, rows.out, rows.packed_out);
  }

  void backward(const BackwardRows& rows) const override {
    SlotDense layer = kernel();
    layer.grad_run = rows.grad_out_run;
    FIRN_CHECK(rows.bits_in.rows == nullptr || rows.grad_in == nullptr);  // nobody learns from bits
    if (rows.bits_in.rows != nullptr)
      return slot_bits_backward(layer, rows.samples, rows.bits_in, rows.grad_out, rows.sums);
    slot_dense_backward(layer, rows.samples, rows.packed_in, rows.grad_out, rows.grad_in, rows.sums);
  }

  // Slots are ordered by the number of rows that their gates read.
  void rewire_neuron(std::size_t i) override {
    std::uint32_t* row = rows_.row(i);
    std::uint8_t* code = &codes_[i * kSlots];
    std::uint8_t found[3] = {};
    for (const int reads : {2, 1, 0}) {
      for (std::size_t j = 0; j < kSlots; ++j) {
        const Gate gate = neurons_.gate(i, j);
        if (depends_on_a(gate) + depends_on_b(gate) != reads) continue;
        const std::uint32_t* wires = &wiring_.tap_channel[2 * (i * kSlots + j)];
        if (depends_on_a(gate)) *row++ = wires[0];
        if (depends_on_b(gate)) *row++ = wires[1];
        *code++ = static_cast<std::uint8_t>(j * kSlots + static_cast<std::size_t>(gate));
        ++found[reads];
      }
    }
    counts_[2 * i] = found[2];
    counts_[2 * i + 1] = found[1];
  }

 private:
  void derive() override {
    for (std::size_t i = 0; i < neurons_.count(); ++i) rewire_neuron(i);
  }

  SlotDense kernel() const {
    return {neurons_.count(),      rows_.data(), codes_.data(), counts_.data(), neurons_.forward_weights.data(),
            neurons_.frozen.data()};
  }

  const LayerDescription& wiring_;
  const Neurons& neurons_;
  // As the kernel wants them: see SlotDense.
  Matrix<std::uint32_t> rows_;
  std::vector<std::uint8_t> codes_, counts_;
};

}  // namespace

std::size_t fit_slot_dense(std::span<const LayerDescription> layers) {
  const bool feeds_border = layers.size() > 1 && layers[1].border() > 0;  // its rows follow each other without gaps
  return layers.front().has_own_slots && is_placed_once(layers.front()) && !feeds_border;
}

std::unique_ptr<Layer> make_slot_dense(std::span<LayerDescription> part) {
  return std::make_unique<SlotDenseLayer>(part);
}

}  // namespace firn::model
