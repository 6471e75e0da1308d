#include "firn/model/model.h"

#include <algorithm>
#include <utility>

#include "firn/base/error.h"
#include "firn/kernels/bits.h"
#include "firn/kernels/dense.h"
#include "firn/model/fast_layers.h"

namespace firn::model {

namespace {

// Lays matrices out one after the other. The first round only counts; the second has memory.
class Layout {
 public:
  explicit Layout(std::byte* memory) : memory_(memory) {}

  template <class T>
  Matrix<T> add(std::size_t rows, std::size_t cols, std::size_t row_alignment = kCacheLine) {
    const std::size_t at = used_;
    used_ += (Matrix<T>::bytes_of(rows, cols, row_alignment) + kCacheLine - 1) / kCacheLine * kCacheLine;
    return memory_ == nullptr ? Matrix<T>() : Matrix<T>(rows, cols, row_alignment, memory_ + at);
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* memory_;
  std::size_t used_ = 0;
};

}  // namespace

std::size_t Workspace::bytes() const {
  return memory.bytes();
}

Model::Model(NetworkDescription description, const Initialization& initialization, std::uint64_t seed)
    : description_(std::move(description)) {
  FIRN_CHECK(!description_.layers.empty());
  input_ = {description_.input, description_.layers.front().border()};
  for (std::span<LayerDescription> rest = description_.layers; !rest.empty();) {
    layers_.push_back(make_layer(rest));
    Layer& layer = *layers_.back();
    RandomSequence random(seed, "model/" + layer.name());
    layer.initialize(initialization, random);
    rest = rest.subspan(layer.parts().size());
  }
  for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
    layers_[i]->set_output_border(layers_[i + 1]->input().border);
    FIRN_CHECK(layers_[i]->output().rows() == layers_[i + 1]->input().rows());
  }
  FIRN_CHECK(head().groups > 0 && layers_.back()->output().shape.size() % head().groups == 0);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    for (Neurons* group : layers_[i]->neurons()) neurons_.push_back(group);
    std::size_t index = 0;
    for (LayerDescription& part : layers_[i]->parts())
      if (part.gates > 0) homes_.push_back({i, index++, &part});
  }
  for (std::size_t g = 0; g < neurons_.size(); ++g)
    for (std::size_t first = 0; first < neurons_[g]->count(); first += kRowBlock)
      blocks_.push_back({g, first, std::min(kRowBlock, neurons_[g]->count() - first)});
  if (layers_.back()->reads_gradient_runs()) head_run_ = layers_.back()->output().shape.size() / head().groups;
}

void Model::set_head(const Head& head) {
  FIRN_CHECK(head.groups == description_.head.groups);
  description_.head = head;
}

std::size_t Model::parameters() const {
  std::size_t count = 0;
  for (const Neurons* group : neurons_) count += group->count() * kSlots;
  return count;
}

std::size_t Model::frozen_prefix() const {
  for (std::size_t i = 0; i < layers_.size(); ++i)
    for (const Neurons* group : std::as_const(*layers_[i]).neurons())
      if (!group->all_frozen()) return i;
  return layers_.size();
}

Workspace Model::make_workspace(std::size_t samples, bool with_gradients) const {
  FIRN_CHECK(samples % 16 == 0);
  const std::size_t last_rows = layers_.back()->output().rows();
  std::size_t gradient_rows[2] = {0, 0};
  if (with_gradients) {
    // Nobody needs the gradient of the model's own input.
    for (std::size_t i = 1; i < layers_.size(); ++i)
      gradient_rows[i % 2] = std::max(gradient_rows[i % 2], layers_[i]->input().rows());
    std::size_t& head_rows = gradient_rows[layers_.size() % 2];
    head_rows = std::max(head_rows, last_rows);
  }
  Workspace workspace;
  workspace.samples = samples;
  const auto lay_out = [&](Layout layout) {
    workspace.values.clear();
    workspace.packed.clear();
    workspace.winners.clear();
    for (const auto& layer : layers_) {
      const std::size_t rows = layer->input().rows();
      workspace.values.push_back(layout.add<float>(rows, samples));
      workspace.packed.push_back(
          layout.add<PackedValue>(layer->packs_input() ? rows : 0, samples, sizeof(PackedValue)));
      workspace.winners.push_back(layout.add<std::uint8_t>(layer->winner_rows(), samples, 16));  // read without gaps
    }
    workspace.values.push_back(layout.add<float>(last_rows, samples));
    workspace.class_sums = layout.add<float>(outputs(), samples);
    workspace.class_sum_gradient = layout.add<float>(with_gradients ? outputs() : 0, samples);
    for (std::size_t parity : {0, 1}) workspace.gradients[parity] = layout.add<float>(gradient_rows[parity], samples);
    return layout.used();
  };
  workspace.memory = Matrix<std::byte>(1, lay_out(Layout(nullptr)));
  lay_out(Layout(workspace.memory.data()));
  return workspace;
}

ShardSums Model::make_sums() const {
  ShardSums sums;
  for (std::size_t l = 0; l < layers_.size(); ++l) sums.layers.emplace_back(sum_blocks(l), kSlots);
  return sums;
}

std::size_t Model::sum_blocks(std::size_t layer) const {
  return (layers_[layer]->sum_rows() * layers_[layer]->sum_width() + kSlots - 1) / kSlots;
}

void Model::prepare(const std::vector<WeightPlan>& plans, Threads& threads) {
  FIRN_CHECK(plans.size() == 1 || plans.size() == neurons_.size());
  const auto plan_of = [&](std::size_t group) -> const WeightPlan& { return plans[plans.size() == 1 ? 0 : group]; };
  for (std::size_t g = 0; g < neurons_.size(); ++g) neurons_[g]->begin_update(plan_of(g));
  for_each_row_block(threads, [&](const RowBlock& block) {
    layers_[layer_of(block.group)]->update_rows(index_in_layer(block.group), plan_of(block.group), block.first,
                                                block.count);
  });
  for (const auto& layer : layers_) layer->prepare();
}

void Model::take_weights(std::size_t layer, Threads& threads) {
  for_each_row_block(threads, [&](const RowBlock& block) {
    if (layer_of(block.group) == layer)
      layers_[layer]->take_weights(index_in_layer(block.group), block.first, block.count);
  });
  layers_[layer]->prepare();
}

void Model::set_input_bits(Workspace& w, std::size_t layer, const Matrix<std::uint64_t>& bits,
                           std::size_t first_sample) const {
  FIRN_CHECK(layer > 0);
  w.bits = {};
  if (layer < layers_.size() && layers_[layer]->reads_bits()) {
    w.bits = {bits.data(), bits.stride(), first_sample};
    w.bits_layer = layer;
    return;
  }
  const RowLayout& layout = layers_[layer - 1]->output();
  for (std::size_t f = 0; f < layout.shape.size(); ++f)
    expand_bits(bits.row(f), first_sample, w.samples, w.values[layer].row(layout.row_of_feature(f)));
}

void Model::forward_layers(Workspace& w, std::size_t first, std::size_t last) const {
  if (first != w.bits_layer) w.bits = {};
  bool is_packed = false;
  for (std::size_t i = first; i < last; ++i) {
    ForwardRows rows{w.samples, w.values[i].data(), w.values[i + 1].data(), w.winners[i].data()};
    rows.packed_in = {w.packed[i].data(), is_packed};
    if (i == first) rows.bits_in = w.bits;
    is_packed = i + 1 < last && layers_[i]->can_pack_output() && layers_[i + 1]->packs_input();
    if (is_packed) rows.packed_out = w.packed[i + 1].data();
    layers_[i]->forward(rows);
  }
}

void Model::forward(Workspace& w, std::size_t first) const {
  forward_layers(w, first, layers_.size());
  const std::size_t features = layers_.back()->output().shape.size();
  group_sum_forward(outputs(), features / outputs(), head().factor, head().offset, w.samples, w.values.back().data(),
                    w.class_sums.data());
}

void Model::backward(Workspace& w, std::size_t first, ShardSums& sums) const {
  const std::size_t count = layers_.size();
  if (first >= count) return;
  // The head overwrites its input gradient; every layer adds to its own.
  const std::size_t features = layers_.back()->output().shape.size();
  group_sum_backward(outputs(), features / outputs() / head_run_, head().factor, w.samples, w.class_sum_gradient.data(),
                     w.gradients[count % 2].data());
  for (std::size_t i = count; i-- > first;) {
    float* grad_in = i > first ? w.gradients[i % 2].data() : nullptr;
    if (grad_in != nullptr) std::fill_n(grad_in, layers_[i]->input().rows() * w.samples, 0.f);
    BackwardRows rows{w.samples, w.values[i].data(),   w.winners[i].data(), w.gradients[(i + 1) % 2].data(),
                      grad_in,   sums.layers[i].data()};
    rows.packed_in = w.packed[i].data();
    if (i == w.bits_layer) rows.bits_in = w.bits;
    if (i + 1 == count) rows.grad_out_run = head_run_;
    layers_[i]->backward(rows);
  }
}

BooleanNetwork Model::harden_prefix(std::size_t count) const {
  BooleanNetwork network;
  network.input = description_.input;
  network.head = head();
  for (std::size_t i = 0; i < count; ++i)
    for (BooleanLayer& layer : layers_[i]->harden()) network.layers.push_back(std::move(layer));
  return network;
}

void Model::visit_state(StateVisitor& visitor) {
  for (const auto& layer : layers_) layer->visit_state(visitor);
}

void Model::rewire() {
  for (const auto& layer : layers_) layer->rewire();
}

}  // namespace firn::model
