// Convolution by trees of relaxed gates, fused with OR-pooling.
#include <optional>

#include "firn/kernels/mixture.h"
#include "firn/kernels/tree.h"
#include "firn/model/fast_layers.h"

namespace firn::model {

namespace {

class TreeConvLayer final : public Layer {
 public:
  explicit TreeConvLayer(std::span<LayerDescription> part)
      : Layer(part),
        wiring_(part.front()),
        neurons_(*neurons().front()),
        coefficients_(neurons_.count(), 4, 4 * sizeof(float)),
        programs_(tree_depth(wiring_), wiring_.units()) {
    derive();
  }

  std::size_t winner_rows() const override { return wiring_.pool.size() == 1 ? 0 : output().shape.size(); }
  std::size_t sum_width() const override { return 4; }

  void take_weights(std::size_t, std::size_t first, RowList rows) override {
    mix_coefficients(rows, neurons_.forward_weights.row(first), nullptr, coefficients_.row(first));
  }

  void prepare() override { programs_.plan(neurons_.frozen); }

  void forward(const ForwardRows& rows) const override {
    tree_conv_forward(kernel(), rows.samples, rows.in, rows.out, rows.winners);
  }

  void backward(const BackwardRows& rows) const override {
    tree_conv_backward(kernel(), rows.samples, rows.in, rows.grad_out, rows.winners, rows.grad_in, rows.sums);
  }

  void weight_gradient(std::size_t, const float* sums, std::size_t first, RowList rows,
                       float* grad_weights) const override {
    expand_sums(rows, sums + 4 * first, nullptr, grad_weights);
  }

 private:
  void derive() override {
    leaf_rows_.clear();
    for (std::size_t u = 0; u < wiring_.units(); ++u)
      for (std::size_t t = 0; t < wiring_.taps; ++t) leaf_rows_.push_back(wiring_.first_row(u, t, input()));
    if (wiring_.pool.size() > 1) pushes_.emplace(placements_for(*this), leaf_rows_, wiring_.taps);
  }

  TreeConv kernel() const {
    TreeConv conv{placements_for(*this)};
    conv.depth = static_cast<int>(tree_depth(wiring_));
    conv.pool = static_cast<int>(wiring_.pool.height);
    conv.filters = wiring_.units();
    conv.leaves = leaf_rows_.data();
    conv.coefficients = coefficients_.data();
    conv.programs = &programs_;
    if (pushes_) conv.pushes = &*pushes_;
    return conv;
  }

  const LayerDescription& wiring_;
  const Neurons& neurons_;
  std::vector<std::uint32_t> leaf_rows_;  // [filters][2^depth] input row at output position (0, 0)
  Matrix<float> coefficients_;            // [neurons][4]
  TreePrograms programs_;                 // one per filter
  std::optional<TreePushes> pushes_;      // where there is a pool
};

}  // namespace

std::size_t fit_tree_conv(std::span<const LayerDescription> layers) {
  const LayerDescription& layer = layers.front();
  const std::size_t depth = tree_depth(layer);
  return depth >= 1 && depth <= kMaxTreeDepth && (layer.pool.size() == 1 || layer.pool == Extent{2, 2});
}

std::unique_ptr<Layer> make_tree_conv(std::span<LayerDescription> part) {
  return std::make_unique<TreeConvLayer>(part);
}

}  // namespace firn::model
