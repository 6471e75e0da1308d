// Dense layer of neurons that choose among sixteen slots, each with its own gate and its own pair of inputs.
#include <algorithm>

#include "firn/kernels/slots.h"
#include "firn/model/fast_layers.h"

namespace firn::model {

namespace {

class SlotDenseLayer final : public Layer {
 public:
  explicit SlotDenseLayer(std::span<LayerDescription> part)
      : Layer(part), wiring_(part.front()), neurons_(*neurons().front()), wire_rows_(wiring_.tap_channel.size()) {
    derive();
  }

  std::size_t sum_width() const override { return kSlots; }
  bool reads_gradient_runs() const override { return true; }

  void forward(const ForwardRows& rows) const override {
    slot_dense_forward(kernel(), rows.samples, rows.in, rows.out);
  }

  void backward(const BackwardRows& rows) const override {
    SlotDense layer = kernel();
    layer.grad_run = rows.grad_out_run;
    slot_dense_backward(layer, rows.samples, rows.in, rows.grad_out, rows.grad_in, rows.sums);
  }

  void weight_gradient(std::size_t, const float* sums, std::size_t first, RowList rows,
                       float* grad_weights) const override {
    for (std::size_t r = 0; r < rows.count; ++r)
      std::copy_n(sums + (first + rows[r]) * kSlots, kSlots, grad_weights + rows[r] * kSlots);
  }

  void rewire_neuron(std::size_t i) override {
    std::uint32_t recent = 0;  // a row that is in the cache anyway
    for (std::size_t j = i * kSlots; j < (i + 1) * kSlots; ++j) {
      const Gate gate = static_cast<Gate>(neurons_.opcodes[j]);
      std::uint32_t a = wiring_.tap_channel[2 * j], b = wiring_.tap_channel[2 * j + 1];
      // An operand that the gate ignores is read from a row that is needed already: fewer rows come from far away.
      if (!depends_on_a(gate)) a = depends_on_b(gate) ? b : recent;
      if (!depends_on_b(gate)) b = a;
      recent = a;
      wire_rows_[2 * j] = a;
      wire_rows_[2 * j + 1] = b;
    }
  }

 private:
  void derive() override {
    for (std::size_t i = 0; i < neurons_.count(); ++i) rewire_neuron(i);
  }

  SlotDense kernel() const {
    return {neurons_.count(), wire_rows_.data(), neurons_.opcodes.data(), neurons_.forward_weights.data(),
            neurons_.frozen.data()};
  }

  const LayerDescription& wiring_;
  const Neurons& neurons_;
  std::vector<std::uint32_t> wire_rows_;  // [neurons][16][2] input rows that the kernel reads
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
