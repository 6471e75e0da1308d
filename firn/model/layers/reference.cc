// A layer of any kind, one sample at a time by the formulas of the reference: for kinds that have no kernel.
#include <algorithm>

#include "firn/model/fast_layers.h"
#include "firn/model/reference/layer.h"

namespace firn::model {

namespace {

using Values = reference::Values<float>;

class ReferenceLayer final : public Layer {
 public:
  explicit ReferenceLayer(std::span<LayerDescription> part) : Layer(part), wiring_(part.front()) {}

  std::size_t sum_width() const override { return kSlots; }

  void forward(const ForwardRows& rows) const override {
    const reference::Layer formulas = this->formulas();
    for (std::size_t s = 0; s < rows.samples; ++s) {
      const Values out = formulas.forward(weights(), read(input(), rows.in, rows.samples, s));
      for (std::size_t f = 0; f < out.size(); ++f) rows.out[output().row_of_feature(f) * rows.samples + s] = out[f];
    }
  }

  void backward(const BackwardRows& rows) const override {
    const reference::Layer formulas = this->formulas();
    std::fill_n(rows.sums, sum_rows() * kSlots, 0.f);
    for (std::size_t s = 0; s < rows.samples; ++s) {
      Values grad_in(input().shape.size());
      formulas.backward(weights(), read(input(), rows.in, rows.samples, s),
                        read(output(), rows.grad_out, rows.samples, s), grad_in, rows.sums);
      if (rows.grad_in == nullptr) continue;
      for (std::size_t f = 0; f < grad_in.size(); ++f)
        rows.grad_in[input().row_of_feature(f) * rows.samples + s] += grad_in[f];
    }
  }

 private:
  std::string remark() const override { return "without a kernel"; }

  reference::Layer formulas() const {
    static const std::vector<std::uint8_t> kNone;
    return {wiring_, neurons().empty() ? kNone : neurons().front()->opcodes};
  }
  const float* weights() const { return neurons().empty() ? nullptr : neurons().front()->forward_weights.data(); }

  static Values read(const RowLayout& layout, const float* rows, std::size_t samples, std::size_t s) {
    Values values(layout.shape.size());
    for (std::size_t f = 0; f < values.size(); ++f) values[f] = rows[layout.row_of_feature(f) * samples + s];
    return values;
  }

  const LayerDescription& wiring_;
};

}  // namespace

std::unique_ptr<Layer> make_reference_layer(std::span<LayerDescription> part) {
  return std::make_unique<ReferenceLayer>(part);
}

}  // namespace firn::model
