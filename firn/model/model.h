// A model: layers in order, ending in scores; forward and backward for one shard of samples.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/state.h"
#include "firn/base/threads.h"
#include "firn/model/layer.h"

namespace firn {

// The rows of one shard: what the layers read and write. Made once per thread and used for shard after shard.
struct Workspace {
  std::vector<Matrix<float>> values;          // values[i] is the input of layer i; the last one holds the scores
  Matrix<float> score_gradient;               // of the loss, in the scores
  Matrix<float> gradients[2];                 // of the input of layer i in gradients[i % 2]: only two are alive at once
  std::vector<Matrix<std::uint8_t>> winners;  // per layer
  std::size_t samples = 0;

  std::size_t bytes() const;
};

// Weight-gradient sums of one shard, one matrix per layer (empty for layers without neurons).
struct ShardSums {
  std::vector<Matrix<float>> layers;
};

class Model {
 public:
  // The output of a layer and the input of the next one have the same shape; borders are arranged here.
  explicit Model(std::vector<std::unique_ptr<Layer>> layers);

  std::size_t layer_count() const { return layers_.size(); }
  Layer& layer(std::size_t i) { return *layers_[i]; }
  const Layer& layer(std::size_t i) const { return *layers_[i]; }
  const RowLayout& input() const { return layers_.front()->input(); }
  std::size_t outputs() const { return layers_.back()->output().shape.size(); }

  // All trainable neurons, from the input side.
  std::span<Neurons* const> neurons() { return neurons_; }
  std::span<const Neurons* const> neurons() const { return neurons_; }
  std::size_t parameters() const;  // logits

  // How many layers, from the input, hold nothing that still learns.
  std::size_t frozen_prefix() const;

  Workspace make_workspace(std::size_t samples, bool with_gradients) const;
  ShardSums make_sums() const;

  // Weights from logits, and everything derived from them; plans has one entry per Neurons, or one for all.
  void prepare(const std::vector<WeightPlan>& plans, Threads& threads);

  // Layers [first, last) on values[first], which the caller has filled.
  void forward(Workspace& workspace, std::size_t first, std::size_t last) const;
  void forward(Workspace& workspace) const { forward(workspace, 0, layer_count()); }

  // From score_gradient, filled by the loss, down to layer `first`, whose own input gradient is not computed.
  void backward(Workspace& workspace, std::size_t first, ShardSums& sums) const;

  // Every neuron replaced by its frozen or largest slot. The head's groups become the classes.
  BooleanNetwork harden() const;
  // The first `layers` layers only; outputs are not counted.
  BooleanNetwork harden_prefix(std::size_t layers) const;

  void visit_state(StateVisitor& visitor);
  void rewire();

 private:
  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<Neurons*> neurons_;
  std::size_t head_run_ = 1;  // rows of the last hidden layer that share one gradient row
};

}  // namespace firn
