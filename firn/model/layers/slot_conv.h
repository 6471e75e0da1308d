// Depthwise convolution of single gates: one neuron per output channel chooses among sixteen slots over one window.
#pragma once

#include <string>
#include <vector>

#include "firn/model/layer.h"
#include "firn/model/slot_rewiring.h"

namespace firn {

struct SlotConvSettings {
  std::size_t kernels = 0;
  std::size_t side = 3, padding = 1, stride = 1;
};

class SlotConvLayer final : public Layer, public SlotRewiring {
 public:
  SlotConvLayer(std::string name, Shape in, const SlotConvSettings& settings, const Initialization& init,
                RandomSequence& random);

  bool writes_images() const override { return true; }
  const SlotConvSettings& settings() const { return settings_; }
  const std::vector<std::uint8_t>& taps() const { return taps_; }  // [kernels][16][2]
  std::uint32_t channel(std::size_t kernel) const {
    return static_cast<std::uint32_t>(kernel % input().shape.channels);
  }

  std::size_t forward_applications() const override { return output().shape.size() * kSlots; }
  std::size_t sum_rows() const override { return neurons_.count(); }
  std::size_t sum_width() const override { return kSlots; }
  void forward(const ForwardRows& rows) const override;
  void backward(const BackwardRows& rows) const override;
  void weight_gradient(std::size_t index, const float* sums, std::size_t first, std::size_t count,
                       float* grad_weights) const override;
  std::vector<NamedBooleanLayer> harden() const override;
  void visit_state(StateVisitor& visitor) override;
  void rewire() override;
  void redraw_wires(std::size_t i, std::size_t slot, RandomSequence& random) override;
  void rewire_neuron(std::size_t) override {}
  std::string describe() const override;

 private:
  struct SlotConv kernel() const;

  SlotConvSettings settings_;
  Neurons neurons_;
  std::vector<std::uint8_t> taps_;         // [kernels][16][2] places in the window, line * side + column
  std::vector<std::uint32_t> first_rows_;  // [kernels] input row of tap 0 at output position (0, 0)
};

}  // namespace firn
