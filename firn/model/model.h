// A relaxed network: built from a description, with logits; forward and backward for one shard of samples.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/state.h"
#include "firn/base/threads.h"
#include "firn/model/layer.h"
#include "firn/network/network.h"

namespace firn::model {

// The rows of one shard: what the layers read and write. Made once per thread and used for shard after shard.
struct Workspace {
  // Everything below lies here, one after the other: rows are read at random, which costs less on huge pages, and most
  // of the matrices are too small for pages of their own.
  Matrix<std::byte> memory;
  std::vector<Matrix<float>> values;          // values[i] is the input of layer i; the last one feeds the head
  Matrix<float> class_sums;                   // [outputs][samples]
  Matrix<float> class_sum_gradient;           // of the loss, in the class sums
  Matrix<float> gradients[2];                 // of the input of layer i in gradients[i % 2]: only two are alive at once
  std::vector<Matrix<std::uint8_t>> winners;  // per layer
  std::vector<Matrix<PackedValue>> packed;    // per layer: its input once more, where it packs its input
  BitRows bits;                               // set: the input of layer bits_layer, instead of its values
  std::size_t bits_layer = 0;
  std::size_t samples = 0;

  std::size_t bytes() const;
};

// Weight-gradient sums of one shard, one matrix per layer (empty for layers without neurons).
struct ShardSums {
  std::vector<Matrix<float>> layers;
};

class Model {
 public:
  // Wiring as described, fresh logits; equal seeds give equal models.
  Model(NetworkDescription description, const Initialization& initialization, std::uint64_t seed);
  Model(const Model&) = delete;  // layers point into the description
  Model& operator=(const Model&) = delete;

  // As it is now: resampling changes wires.
  const NetworkDescription& description() const { return description_; }
  const Head& head() const { return description_.head; }

  std::size_t layer_count() const { return layers_.size(); }
  Layer& layer(std::size_t i) { return *layers_[i]; }
  const Layer& layer(std::size_t i) const { return *layers_[i]; }
  const RowLayout& input() const { return input_; }
  std::size_t outputs() const { return head().groups; }  // class sums
  // How counts become class sums. Belongs to the model as its wiring does: only whoever builds or restores it calls
  // this.
  void set_head(const Head& head);

  // All trainable neurons, from the input side.
  std::span<Neurons* const> neurons() { return neurons_; }
  std::span<const Neurons* const> neurons() const { return neurons_; }
  std::size_t parameters() const;  // logits
  // Where the neurons of a group are: the index of their layer, their index there, and how they are wired.
  std::size_t layer_of(std::size_t group) const { return homes_[group].layer; }
  std::size_t index_in_layer(std::size_t group) const { return homes_[group].index; }
  const LayerDescription& wiring(std::size_t group) const { return *homes_[group].wiring; }
  LayerDescription& wiring(std::size_t group) { return *homes_[group].wiring; }

  // Blocks of at most kRowBlock consecutive rows, each of one Neurons, which cover all of them.
  struct RowBlock {
    std::size_t group, first, count;
  };
  std::span<const RowBlock> row_blocks() const { return blocks_; }
  // Calls body(block) for every one of them, in parallel: one stretch of parallel work for the whole model, because
  // starting and ending one for each of a dozen layers takes longer than the work on small ones.
  template <class Body>
  void for_each_row_block(Threads& threads, const Body& body) const {
    threads.for_each(blocks_.size(), [&](std::size_t b, std::size_t) { body(blocks_[b]); });
  }

  // How many layers, from the input, hold nothing that still learns.
  std::size_t frozen_prefix() const;

  Workspace make_workspace(std::size_t samples, bool with_gradients) const;
  ShardSums make_sums() const;
  std::size_t sum_blocks(std::size_t layer) const;  // of sixteen floats, in ShardSums

  // Weights from logits, and everything derived from them; plans has one entry per Neurons, or one for all.
  void prepare(const std::vector<WeightPlan>& plans, Threads& threads);

  // What a layer derives from forward weights, after somebody has changed these by hand.
  void take_weights(std::size_t layer, Threads& threads);

  // Gives a layer bits for input, [features][words], and a shard those from a sample on. They are expanded to values
  // where the layer cannot read them as they are; otherwise they must stay until backward is done.
  void set_input_bits(Workspace& workspace, std::size_t layer, const Matrix<std::uint64_t>& bits,
                      std::size_t first_sample) const;

  // Layers [first, last) on values[first], which the caller has filled, up to values[last]. What is between them may be
  // packed only.
  void forward_layers(Workspace& workspace, std::size_t first, std::size_t last) const;
  // All layers from `first` on, and the head.
  void forward(Workspace& workspace, std::size_t first = 0) const;

  // From class_sum_gradient, filled by the loss, down to layer `first`, whose own input gradient is not computed.
  void backward(Workspace& workspace, std::size_t first, ShardSums& sums) const;

  // Every neuron replaced by its frozen or largest slot.
  BooleanNetwork harden() const { return harden_prefix(layer_count()); }
  // The first `layers` layers only.
  BooleanNetwork harden_prefix(std::size_t layers) const;

  void visit_state(StateVisitor& visitor);
  void rewire();

 private:
  NetworkDescription description_;
  RowLayout input_;
  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<Neurons*> neurons_;
  struct Home {
    std::size_t layer, index;
    LayerDescription* wiring;
  };
  std::vector<Home> homes_;  // one per Neurons
  std::vector<RowBlock> blocks_;
  std::size_t head_run_ = 1;  // rows of the last hidden layer that share one gradient row
};

}  // namespace firn::model
