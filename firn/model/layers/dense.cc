#include "firn/model/layers/dense.h"

#include <fmt/core.h>

#include "firn/base/error.h"
#include "firn/kernels/dense.h"
#include "firn/kernels/tree.h"

namespace firn {

DenseStackLayer::DenseStackLayer(Shape in, std::vector<Level> levels, const Initialization& init,
                                 RandomSequence& random)
    : Layer(levels.front().name, {in, 0}, {{levels.back().wires.size(), 1, 1}, 0}) {
  FIRN_CHECK(!levels.empty() && levels.size() <= kMaxTreeDepth);
  for (Level& level : levels) {
    Group group{Neurons(level.name, level.wires.size(), /*convolutional=*/false), {}, {}};
    initialize(group.neurons, init, random);
    for (const WirePair& pair : level.wires) group.wires.insert(group.wires.end(), {pair.a, pair.b});
    place_count_ += group.neurons.count();
    groups_.push_back(std::move(group));
  }
  coefficients_ = Matrix<float>(place_count_, 4, 4 * sizeof(float));
  is_frozen_.resize(place_count_);
  for (Group& group : groups_) add_neurons(group.neurons);
  rewire();
}

bool DenseStackLayer::is_matching(const std::vector<WirePair>& above, std::size_t width) {
  if (2 * above.size() != width) return false;
  std::vector<bool> seen(width, false);
  for (const WirePair& pair : above) {
    if (pair.a == pair.b || seen[pair.a] || seen[pair.b]) return false;
    seen[pair.a] = seen[pair.b] = true;
  }
  return true;
}

void DenseStackLayer::rewire() {
  std::size_t inputs = input().shape.size();
  for (const Group& group : groups_) {
    group.neurons.check_state();
    check_wiring(group.neurons.name, group.wires, inputs);
    inputs = group.neurons.count();
  }
  leaf_rows_.assign(trees() << groups_.size(), 0);
  for (Group& group : groups_) group.place.assign(group.neurons.count(), 0);
  for (std::size_t tree = 0; tree < trees(); ++tree)
    place_tree(groups_.size() - 1, static_cast<std::uint32_t>(tree), tree, 0);
}

// Gates of a tree are numbered from the leaves to the root, as the kernel wants them.
void DenseStackLayer::place_tree(std::size_t level, std::uint32_t neuron, std::size_t tree, std::size_t index) {
  const std::size_t leaves = std::size_t{1} << groups_.size();
  groups_[level].place[neuron] = static_cast<std::uint32_t>(tree * (leaves - 1) + leaves - (leaves >> level) + index);
  for (std::size_t operand = 0; operand < 2; ++operand) {
    const std::uint32_t wire = groups_[level].wires[2 * neuron + operand];
    if (level == 0)
      leaf_rows_[tree * leaves + 2 * index + operand] = static_cast<std::uint32_t>(input().row_of_feature(wire));
    else
      place_tree(level - 1, wire, tree, 2 * index + operand);
  }
}

std::size_t DenseStackLayer::forward_applications() const {
  return place_count_;
}

void DenseStackLayer::prepare(Threads& threads) {
  for (Group& group : groups_) {
    for_each_block(group.neurons.count(), threads, [&](std::size_t first, std::size_t count) {
      mix_coefficients(count, group.neurons.forward_weights.row(first), kGateCoefficients.data(), &group.place[first],
                       coefficients_.data());
      for (std::size_t i = first; i < first + count; ++i) is_frozen_[group.place[i]] = group.neurons.frozen[i] >= 0;
    });
  }
}

DenseGates DenseStackLayer::dense_kernel() const {
  return {trees(), leaf_rows_.data(), coefficients_.data(), is_frozen_.data()};
}

TreeConv DenseStackLayer::tree_kernel() const {
  TreeConv trees_only;
  trees_only.depth = static_cast<int>(groups_.size());
  trees_only.kernels = trees();
  trees_only.leaves = leaf_rows_.data();
  trees_only.coefficients = coefficients_.data();
  trees_only.frozen = is_frozen_.data();
  return trees_only;
}

void DenseStackLayer::forward(const ForwardRows& rows) const {
  if (is_single())
    dense_forward(dense_kernel(), rows.samples, rows.in, rows.out);
  else
    tree_conv_forward(tree_kernel(), rows.samples, rows.in, rows.out, nullptr);
}

void DenseStackLayer::backward(const BackwardRows& rows) const {
  if (is_single()) {
    DenseGates gates = dense_kernel();
    gates.grad_run = rows.grad_out_run;
    dense_backward(gates, rows.samples, rows.in, rows.grad_out, rows.grad_in, rows.sums);
  } else {
    TreeConv trees_only = tree_kernel();
    trees_only.grad_run = rows.grad_out_run;
    tree_conv_backward(trees_only, rows.samples, rows.in, rows.grad_out, nullptr, rows.grad_in, rows.sums);
  }
}

void DenseStackLayer::weight_gradient(std::size_t index, const float* sums, std::size_t first, std::size_t count,
                                      float* grad_weights) const {
  expand_sums(count, sums, &groups_[index].place[first], kGateCoefficients.data(), grad_weights);
}

std::vector<Layer::NamedBooleanLayer> DenseStackLayer::harden() const {
  std::vector<NamedBooleanLayer> layers;
  std::size_t inputs = input().shape.size();
  for (const Group& group : groups_) {
    BooleanDense dense;
    dense.inputs = inputs;
    dense.wires = group.wires;
    for (std::uint8_t slot : group.neurons.chosen_slots()) dense.gates.push_back(static_cast<Gate>(slot));
    inputs = dense.gates.size();
    layers.push_back({group.neurons.name, std::move(dense)});
  }
  return layers;
}

void DenseStackLayer::visit_state(StateVisitor& visitor) {
  for (Group& group : groups_) {
    group.neurons.visit_state(visitor);
    visitor.visit(group.neurons.name + ".wires", group.wires);
  }
}

std::string DenseStackLayer::describe() const {
  return is_single() ? "dense" : fmt::format("dense x {}, fused to {} trees", groups_.size(), trees());
}

}  // namespace firn
