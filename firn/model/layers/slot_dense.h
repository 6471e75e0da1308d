// Dense layer of neurons that choose among sixteen slots, each with its own gate and its own pair of inputs.
#pragma once

#include <string>
#include <vector>

#include "firn/model/layer.h"
#include "firn/model/slot_rewiring.h"

namespace firn {

class SlotDenseLayer final : public Layer, public SlotRewiring {
 public:
  SlotDenseLayer(std::string name, Shape in, std::size_t neurons, const Initialization& init, RandomSequence& random);

  const std::vector<std::uint32_t>& wires() const { return wires_; }  // [neurons][16][2] features

  std::size_t forward_applications() const override { return neurons_.count() * kSlots; }
  std::size_t sum_rows() const override { return neurons_.count(); }
  std::size_t sum_width() const override { return kSlots; }
  bool reads_gradient_runs() const override { return true; }
  void forward(const ForwardRows& rows) const override;
  void backward(const BackwardRows& rows) const override;
  void weight_gradient(std::size_t index, const float* sums, std::size_t first, std::size_t count,
                       float* grad_weights) const override;
  std::vector<NamedBooleanLayer> harden() const override;
  void visit_state(StateVisitor& visitor) override;
  void rewire() override;
  void redraw_wires(std::size_t i, std::size_t slot, RandomSequence& random) override;
  void rewire_neuron(std::size_t i) override;
  std::string describe() const override { return "slot_dense"; }

 private:
  struct SlotDense kernel() const;

  Neurons neurons_;
  std::vector<std::uint32_t> wires_;      // [neurons][16][2] features
  std::vector<std::uint32_t> wire_rows_;  // [neurons][16][2] input rows that the kernel reads
};

}  // namespace firn
