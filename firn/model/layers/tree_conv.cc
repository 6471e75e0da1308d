#include "firn/model/layers/tree_conv.h"

#include <fmt/core.h>

#include "firn/base/error.h"
#include "firn/kernels/tree.h"

namespace firn {

namespace {

Shape pooled_shape(const std::string& name, Shape in, const TreeConvSettings& s) {
  if (s.depth < 1 || s.depth > kMaxTreeDepth)
    throw Error(fmt::format("layer {}: tree depth {} is not supported; choose 1 to {}", name, s.depth, kMaxTreeDepth));
  if (s.side < 1 || s.side > 15 || s.pool < 1 || s.pool > 2)
    throw Error(fmt::format(
        "layer {}: a window of side {} with pool {} is not supported; choose a side of 1 to 15 and pool 1 or 2", name,
        s.side, s.pool));
  if (in.height + 2 * s.padding < s.side || in.width + 2 * s.padding < s.side)
    throw Error(fmt::format("layer {}: a {}x{} window does not fit an input of {}x{}", name, s.side, s.side, in.height,
                            in.width));
  const std::size_t height = in.height + 2 * s.padding - s.side + 1, width = in.width + 2 * s.padding - s.side + 1;
  if (height % s.pool != 0 || width % s.pool != 0)
    throw Error(fmt::format("layer {}: {}x{} outputs cannot be pooled {}x{}; change the padding or the input size",
                            name, height, width, s.pool, s.pool));
  return {s.kernels, height / s.pool, width / s.pool};
}

}  // namespace

TreeConvLayer::TreeConvLayer(std::string name, Shape in, const TreeConvSettings& settings, const Initialization& init,
                             RandomSequence& random)
    : Layer(name, {in, settings.padding}, {pooled_shape(name, in, settings), 0}),
      settings_(settings),
      neurons_(name, settings.kernels * (leaves() - 1), /*convolutional=*/true),
      coefficients_(neurons_.count(), 4, 4 * sizeof(float)),
      is_frozen_(neurons_.count(), 0) {
  add_neurons(neurons_);
  initialize(neurons_, init, random);
  for (const Leaf& leaf :
       draw_tree_leaves(settings.channels, in.channels, settings.side, settings.kernels, leaves(), random)) {
    leaf_channel_.push_back(leaf.channel);
    leaf_place_.push_back(static_cast<std::uint8_t>(leaf.y * settings.side + leaf.x));
  }
  rewire();
}

void TreeConvLayer::rewire() {
  neurons_.check_state();
  check_wiring(name(), leaf_channel_, input().shape.channels);
  check_wiring(name(), leaf_place_, settings_.side * settings_.side);
  leaf_rows_.clear();
  for (std::size_t l = 0; l < leaf_channel_.size(); ++l) {
    const std::size_t y = leaf_place_[l] / settings_.side, x = leaf_place_[l] % settings_.side;
    leaf_rows_.push_back(static_cast<std::uint32_t>(leaf_channel_[l] * input().plane() + y * input().line() + x));
  }
}

std::size_t TreeConvLayer::winner_rows() const {
  return settings_.pool == 1 ? 0 : output().shape.size();
}

std::size_t TreeConvLayer::forward_applications() const {
  return backward_applications() * settings_.pool * settings_.pool;
}

std::size_t TreeConvLayer::backward_applications() const {
  return output().shape.size() * (leaves() - 1);
}

TreeConv TreeConvLayer::kernel() const {
  TreeConv conv;
  conv.depth = static_cast<int>(settings_.depth);
  conv.pool = static_cast<int>(settings_.pool);
  conv.kernels = settings_.kernels;
  conv.leaves = leaf_rows_.data();
  conv.coefficients = coefficients_.data();
  conv.frozen = is_frozen_.data();
  conv.in_line = input().line();
  conv.out_height = output().shape.height;
  conv.out_width = output().shape.width;
  conv.out_first = output().row(0, 0, 0);
  conv.out_plane = output().plane();
  conv.out_line = output().line();
  return conv;
}

void TreeConvLayer::prepare(Threads& threads) {
  for_each_block(neurons_.count(), threads, [&](std::size_t first, std::size_t count) {
    mix_coefficients(count, neurons_.forward_weights.row(first), kGateCoefficients.data(), nullptr,
                     coefficients_.row(first));
    for (std::size_t i = first; i < first + count; ++i) is_frozen_[i] = neurons_.frozen[i] >= 0;
  });
}

void TreeConvLayer::forward(const ForwardRows& rows) const {
  tree_conv_forward(kernel(), rows.samples, rows.in, rows.out, rows.winners);
}

void TreeConvLayer::backward(const BackwardRows& rows) const {
  tree_conv_backward(kernel(), rows.samples, rows.in, rows.grad_out, rows.winners, rows.grad_in, rows.sums);
}

void TreeConvLayer::weight_gradient(std::size_t, const float* sums, std::size_t first, std::size_t count,
                                    float* grad_weights) const {
  expand_sums(count, sums + 4 * first, nullptr, kGateCoefficients.data(), grad_weights);
}

std::vector<Layer::NamedBooleanLayer> TreeConvLayer::harden() const {
  BooleanConv conv;
  conv.in = input().shape;
  conv.out = output().shape;
  conv.depth = settings_.depth;
  conv.side = settings_.side;
  conv.padding = settings_.padding;
  conv.pool = settings_.pool;
  conv.leaf_channel = leaf_channel_;
  conv.leaf_place = leaf_place_;
  for (std::uint8_t slot : neurons_.chosen_slots()) conv.gates.push_back(static_cast<Gate>(slot));
  return {{name(), conv}};
}

void TreeConvLayer::visit_state(StateVisitor& visitor) {
  neurons_.visit_state(visitor);
  visitor.visit(name() + ".leaf_channel", leaf_channel_);
  visitor.visit(name() + ".leaf_place", leaf_place_);
}

std::string TreeConvLayer::describe() const {
  return fmt::format("tree_conv {}x{} pad {} depth {}{}", settings_.side, settings_.side, settings_.padding,
                     settings_.depth, settings_.pool == 2 ? ", OR-pool 2x2" : "");
}

}  // namespace firn
