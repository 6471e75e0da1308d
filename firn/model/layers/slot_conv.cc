// Depthwise convolution of single gates: one neuron per output channel chooses among sixteen slots over one window.
#include <algorithm>

#include "firn/kernels/slot_conv.h"
#include "firn/model/fast_layers.h"

namespace firn::model {

namespace {

class SlotConvLayer final : public Layer {
 public:
  explicit SlotConvLayer(std::span<LayerDescription> part)
      : Layer(part), wiring_(part.front()), neurons_(*neurons().front()) {
    for (std::size_t u = 0; u < wiring_.units(); ++u)
      first_rows_.push_back(static_cast<std::uint32_t>(wiring_.tap_channel[u * wiring_.taps] * input().plane()));
  }

  std::size_t sum_width() const override { return kSlots; }

  void forward(const ForwardRows& rows) const override { slot_conv_forward(kernel(), rows.samples, rows.in, rows.out); }

  void backward(const BackwardRows& rows) const override {
    slot_conv_backward(kernel(), rows.samples, rows.in, rows.grad_out, rows.grad_in, rows.sums);
  }

 private:
  SlotConv kernel() const {
    SlotConv conv{placements_for(*this)};
    conv.filters = wiring_.units();
    conv.side = wiring_.window.width;
    conv.first_rows = first_rows_.data();
    conv.taps = wiring_.tap_place.data();
    conv.opcodes = neurons_.opcodes.data();
    conv.weights = neurons_.forward_weights.data();
    conv.frozen = neurons_.frozen.data();
    return conv;
  }

  const LayerDescription& wiring_;
  const Neurons& neurons_;
  std::vector<std::uint32_t> first_rows_;  // [filters] input row of tap 0 at output position (0, 0)
};

}  // namespace

// The kernel wants a square window with equal margins, on one channel per filter.
std::size_t fit_slot_conv(std::span<const LayerDescription> layers) {
  const LayerDescription& layer = layers.front();
  if (!layer.has_own_slots || layer.window.height != layer.window.width || layer.window.size() == 1 ||
      layer.window.size() > kMaxTaps || layer.pool.size() != 1 || layer.padding.height != layer.padding.width)
    return 0;
  for (std::size_t i = 0; i < layer.tap_channel.size(); ++i)
    if (layer.tap_channel[i] != layer.tap_channel[i - i % layer.taps]) return 0;
  return 1;
}

std::unique_ptr<Layer> make_slot_conv(std::span<LayerDescription> part) {
  return std::make_unique<SlotConvLayer>(part);
}

}  // namespace firn::model
