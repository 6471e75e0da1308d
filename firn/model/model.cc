#include "firn/model/model.h"

#include <algorithm>
#include <utility>

#include "firn/base/error.h"

namespace firn {

std::size_t Workspace::bytes() const {
  std::size_t total = 0;
  for (const auto& m : values) total += m.bytes();
  total += score_gradient.bytes() + gradients[0].bytes() + gradients[1].bytes();
  for (const auto& m : winners) total += m.bytes();
  return total;
}

Model::Model(std::vector<std::unique_ptr<Layer>> layers) : layers_(std::move(layers)) {
  FIRN_CHECK(!layers_.empty());
  for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
    FIRN_CHECK(layers_[i]->output().shape.size() == layers_[i + 1]->input().shape.size());
    layers_[i]->set_output_border(layers_[i + 1]->input().border);
    FIRN_CHECK(layers_[i]->output().rows() == layers_[i + 1]->input().rows());
  }
  for (const auto& layer : layers_)
    for (Neurons* group : layer->neurons()) neurons_.push_back(group);
  if (layers_.size() > 1 && layers_[layers_.size() - 2]->reads_gradient_runs())
    head_run_ = layers_.back()->gradient_run();
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
  Workspace workspace;
  workspace.samples = samples;
  std::size_t gradient_rows[2] = {0, 0};
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::size_t rows = layers_[i]->input().rows();
    workspace.values.emplace_back(rows, samples);
    workspace.winners.emplace_back(layers_[i]->winner_rows(), samples, 16);  // read without gaps
    // Nobody needs the gradient of the model's own input.
    if (with_gradients && i > 0) gradient_rows[i % 2] = std::max(gradient_rows[i % 2], rows);
  }
  const std::size_t scores = layers_.back()->output().rows();
  workspace.values.emplace_back(scores, samples);
  workspace.score_gradient = Matrix<float>(with_gradients ? scores : 0, samples);
  for (std::size_t parity : {0, 1}) workspace.gradients[parity] = Matrix<float>(gradient_rows[parity], samples);
  FIRN_CHECK(samples % 16 == 0 && workspace.values.front().stride() == samples);
  return workspace;
}

ShardSums Model::make_sums() const {
  ShardSums sums;
  for (const auto& layer : layers_)
    sums.layers.emplace_back((layer->sum_rows() * layer->sum_width() + kSlots - 1) / kSlots, kSlots);
  return sums;
}

void Model::prepare(const std::vector<WeightPlan>& plans, Threads& threads) {
  FIRN_CHECK(plans.size() == 1 || plans.size() == neurons_.size());
  for (std::size_t i = 0; i < neurons_.size(); ++i)
    neurons_[i]->update_weights(plans[plans.size() == 1 ? 0 : i], threads);
  for (const auto& layer : layers_) layer->prepare(threads);
}

void Model::forward(Workspace& w, std::size_t first, std::size_t last) const {
  for (std::size_t i = first; i < last; ++i)
    layers_[i]->forward({w.samples, w.values[i].data(), w.values[i + 1].data(), w.winners[i].data()});
}

void Model::backward(Workspace& w, std::size_t first, ShardSums& sums) const {
  const std::size_t last = layers_.size() - 1;
  for (std::size_t i = layers_.size(); i-- > first;) {
    float* grad_in = i > first ? w.gradients[i % 2].data() : nullptr;
    BackwardRows rows{w.samples, w.values[i].data(),   w.winners[i].data(), w.gradients[(i + 1) % 2].data(),
                      grad_in,   sums.layers[i].data()};
    if (i == last) rows.grad_out = w.score_gradient.data();
    if (i == last) rows.grad_in_run = head_run_;
    if (i + 1 == last) rows.grad_out_run = head_run_;
    // The head overwrites; every other layer adds.
    if (grad_in != nullptr && i != last) std::fill_n(grad_in, layers_[i]->input().rows() * w.samples, 0.f);
    layers_[i]->backward(rows);
  }
}

BooleanNetwork Model::harden_prefix(std::size_t count) const {
  BooleanNetwork network;
  network.input = layers_.front()->input().shape;
  for (std::size_t i = 0; i < count; ++i)
    for (auto& [name, layer] : layers_[i]->harden()) {
      network.names.push_back(name);
      network.layers.push_back(std::move(layer));
    }
  return network;
}

BooleanNetwork Model::harden() const {
  BooleanNetwork network = harden_prefix(layers_.size());
  network.classes = outputs();
  return network;
}

void Model::visit_state(StateVisitor& visitor) {
  for (const auto& layer : layers_) layer->visit_state(visitor);
}

void Model::rewire() {
  for (const auto& layer : layers_) layer->rewire();
}

}  // namespace firn
