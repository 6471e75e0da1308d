// Chains of relaxed gates: each gate after the first reads the one before it and an input of its own.
#include "firn/kernels/chain.h"

#include "firn/kernels/mixture.h"
#include "firn/model/fast_layers.h"
#include "firn/network/kinds/chain.h"

namespace firn::model {

namespace {

class ChainLayer final : public Layer {
 public:
  explicit ChainLayer(std::span<LayerDescription> part)
      : Layer(part),
        wiring_(part.front()),
        neurons_(*neurons().front()),
        coefficients_(neurons_.count(), 4, 4 * sizeof(float)) {}

  bool reads_gradient_runs() const override { return true; }
  std::size_t sum_width() const override { return 4; }

  void take_weights(std::size_t, std::size_t first, RowList rows) override {
    mix_coefficients(rows, neurons_.forward_weights.row(first), nullptr, coefficients_.row(first));
  }

  void forward(const ForwardRows& rows) const override { chain_forward(kernel(), rows.samples, rows.in, rows.out); }

  void backward(const BackwardRows& rows) const override {
    ChainGates layer = kernel();
    layer.grad_run = rows.grad_out_run;
    chain_backward(layer, rows.samples, rows.in, rows.grad_out, rows.grad_in, rows.sums);
  }

  void weight_gradient(std::size_t, const float* sums, std::size_t first, RowList rows,
                       float* grad_weights) const override {
    expand_sums(rows, sums + 4 * first, nullptr, grad_weights);
  }

 private:
  ChainGates kernel() const {
    return {wiring_.units(), wiring_.gates, wiring_.tap_channel.data(), coefficients_.data()};
  }

  const LayerDescription& wiring_;
  const Neurons& neurons_;
  Matrix<float> coefficients_;  // [neurons][4]
};

}  // namespace

std::size_t fit_chain(std::span<const LayerDescription> layers) {
  const LayerDescription& layer = layers.front();
  // Rows follow each other without gaps: what feeds a padded convolution is left to the reference.
  const bool feeds_border = layers.size() > 1 && layers[1].border() > 0;
  return is_chain(layer) && is_placed_once(layer) && !feeds_border;
}

std::unique_ptr<Layer> make_chain(std::span<LayerDescription> part) {
  return std::make_unique<ChainLayer>(part);
}

}  // namespace firn::model
