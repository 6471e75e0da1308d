// Dense layers of relaxed gates, one or several in a row, each gate with one fixed pair of inputs.
//
// Consecutive layers where every hidden output feeds exactly one gate (2:1 tapers under the "random" wiring) are
// disjoint trees. They run as one tree kernel without storing what is between them; otherwise a stack has a single
// layer.
#include <fmt/core.h>

#include "firn/kernels/dense.h"
#include "firn/kernels/mixture.h"
#include "firn/kernels/pack_rows.h"
#include "firn/kernels/tree.h"
#include "firn/model/fast_layers.h"
#include "firn/network/kinds/dense.h"

namespace firn::model {

namespace {

class DenseStack final : public Layer {
 public:
  explicit DenseStack(std::span<LayerDescription> levels)
      : Layer(levels),
        places_(levels.size()),
        coefficients_(sum_rows(), 4, 4 * sizeof(float)),
        frozen_(sum_rows(), kNotFrozen),
        programs_(depth(), tree_count()) {
    derive();
  }

  bool reads_gradient_runs() const override { return true; }
  bool packs_input() const override { return depth() == 1; }
  bool can_pack_output() const override { return depth() == 1; }
  std::size_t sum_width() const override { return 4; }
  std::size_t sum_row(std::size_t index, std::size_t i) const override { return places_[index][i]; }

  void take_weights(std::size_t index, std::size_t first, RowList rows) override {
    const Neurons& neurons = *this->neurons()[index];
    const std::uint32_t* place = &places_[index][first];
    mix_coefficients(rows, neurons.forward_weights.row(first), place, coefficients_.data());
    for (std::size_t r = 0; r < rows.count; ++r) frozen_[place[rows[r]]] = neurons.frozen[first + rows[r]];
  }

  void prepare() override {
    if (depth() > 1) programs_.plan(frozen_);
  }

  void forward(const ForwardRows& rows) const override {
    if (depth() > 1) return tree_conv_forward(trees(), rows.samples, rows.in, rows.out, nullptr);
    if (!rows.packed_in.is_filled) pack_rows(input().rows(), rows.samples, rows.in, rows.packed_in.rows);
    dense_forward(gates(), rows.samples, rows.packed_in.rows, rows.out, rows.packed_out);
  }

  void backward(const BackwardRows& rows) const override {
    if (depth() == 1) {
      DenseGates layer = gates();
      layer.grad_run = rows.grad_out_run;
      dense_backward(layer, rows.samples, rows.packed_in, rows.grad_out, rows.grad_in, rows.sums);
    } else {
      TreeConv layer = trees();
      layer.grad_run = rows.grad_out_run;
      tree_conv_backward(layer, rows.samples, rows.in, rows.grad_out, nullptr, rows.grad_in, rows.sums);
    }
  }

  void weight_gradient(std::size_t index, const float* sums, std::size_t first, RowList rows,
                       float* grad_weights) const override {
    expand_sums(rows, sums, &places_[index][first], grad_weights);
  }

 private:
  std::size_t depth() const { return places_.size(); }
  std::size_t tree_count() const { return output().shape.size(); }

  std::string remark() const override {
    return depth() == 1 ? "" : fmt::format("{} layers fused to {} trees", depth(), tree_count());
  }

  void derive() override {
    for (std::size_t level = 1; level < depth(); ++level)
      if (!is_matching(parts()[level]))
        throw Error(fmt::format("layer {}: its wires are not those it was built with; the file is damaged",
                                parts()[level].name));
    leaf_rows_.assign(tree_count() << depth(), 0);
    for (std::size_t level = 0; level < depth(); ++level) places_[level].assign(neurons()[level]->count(), 0);
    for (std::size_t tree = 0; tree < tree_count(); ++tree)
      place_tree(depth() - 1, static_cast<std::uint32_t>(tree), tree, 0);
  }

  // Gates of a tree are numbered from the leaves to the root, as the kernel wants them.
  void place_tree(std::size_t level, std::uint32_t neuron, std::size_t tree, std::size_t index) {
    const std::size_t leaves = std::size_t{1} << depth();
    places_[level][neuron] = static_cast<std::uint32_t>(tree * (leaves - 1) + leaves - (leaves >> level) + index);
    for (std::size_t side = 0; side < 2; ++side) {
      const std::uint32_t wire = parts()[level].tap_channel[2 * neuron + side];
      if (level == 0)
        leaf_rows_[tree * leaves + 2 * index + side] = wire;
      else
        place_tree(level - 1, wire, tree, 2 * index + side);
    }
  }

  DenseGates gates() const { return {tree_count(), leaf_rows_.data(), coefficients_.data(), frozen_.data()}; }

  TreeConv trees() const {
    TreeConv trees;
    trees.depth = static_cast<int>(depth());
    trees.filters = tree_count();
    trees.leaves = leaf_rows_.data();
    trees.coefficients = coefficients_.data();
    trees.programs = &programs_;
    return trees;
  }

  std::vector<std::vector<std::uint32_t>> places_;  // [levels][neurons] row of a gate among all gates in tree order
  std::vector<std::uint32_t> leaf_rows_;            // [trees][2^levels] input rows
  Matrix<float> coefficients_;                      // [gates in tree order][4]
  std::vector<std::int8_t> frozen_;                 // [gates in tree order] slots, or kNotFrozen
  TreePrograms programs_;                           // one per tree
};

bool is_dense(const LayerDescription& layer) {
  return tree_depth(layer) == 1 && is_placed_once(layer);
}

}  // namespace

std::size_t fit_dense(std::span<const LayerDescription> layers) {
  if (!is_dense(layers.front())) return 0;
  std::size_t depth = 1;
  while (depth < layers.size() && depth < kMaxTreeDepth && is_dense(layers[depth]) && is_matching(layers[depth]))
    ++depth;
  // Its rows follow each other without gaps: what feeds a padded convolution is left to the trees, which know borders.
  if (depth < layers.size() && layers[depth].border() > 0) --depth;
  return depth;
}

std::unique_ptr<Layer> make_dense(std::span<LayerDescription> levels) {
  return std::make_unique<DenseStack>(levels);
}

}  // namespace firn::model
