// One stage of a model: reads rows, writes rows, and carries gradients back. Layers hold no activations.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/shape.h"
#include "firn/base/state.h"
#include "firn/base/threads.h"
#include "firn/kernels/packed.h"
#include "firn/model/neurons.h"
#include "firn/network/boolean_network.h"
#include "firn/network/layer.h"

namespace firn::model {

// What a layer gathers at random, at sixteen bits: [input().rows()][samples]. Kept from forward for backward.
struct PackedInput {
  PackedValue* rows = nullptr;
  bool is_filled = false;  // else forward packs what `in` holds
};

// What a layer reads and writes for one shard of samples. All rows have `samples` floats, a multiple of 16.
struct ForwardRows {
  std::size_t samples;
  const float* in;        // [input().rows()][samples]
  float* out;             // [output().rows()][samples]
  std::uint8_t* winners;  // [winner_rows()][samples]
  // The same rows in fewer bits, for layers that want them so.
  PackedInput packed_in = {};         // where packs_input()
  PackedValue* packed_out = nullptr;  // to be written instead of `out`; not null only where can_pack_output()
  BitRows bits_in = {};               // where not null, instead of `in` and packed_in; only where reads_bits()
};
struct BackwardRows {
  std::size_t samples;
  const float* in;              // as in forward
  const std::uint8_t* winners;  // as forward left them
  const float* grad_out;        // [output().rows()][samples]
  float* grad_in;               // [input().rows()][samples], zeroed by the caller; null where nobody needs it
  float* sums;                  // [sum_rows()][sum_width()], see Layer
  // As in forward.
  const PackedValue* packed_in = nullptr;
  BitRows bits_in = {};
  // Consecutive outputs may share one row of grad_out: row number / run is theirs.
  std::size_t grad_out_run = 1;  // more than 1 only where reads_gradient_runs()
};

// How fresh logits are set.
struct Initialization {
  bool gaussian = false;  // else residual
  float residual = 0;     // logit of gate "a"; 0: 5, or ln 135 where neurons have slots of their own
};

class Layer {
 public:
  // The described layers that run here together, usually one; they outlive this, and so do their places.
  explicit Layer(std::span<LayerDescription> parts);
  virtual ~Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  const std::string& name() const { return parts_.front().name; }
  std::span<LayerDescription> parts() { return parts_; }
  std::span<const LayerDescription> parts() const { return parts_; }
  const RowLayout& input() const { return input_; }
  const RowLayout& output() const { return output_; }
  // The next layer's padding becomes a border of zero rows around this layer's output. Called once, before any pass.
  void set_output_border(std::size_t border) { output_.border = border; }

  // The trainable neurons, from the input side: one set for each part that has gates.
  std::span<Neurons* const> neurons() { return neurons_; }
  std::span<const Neurons* const> neurons() const { return neurons_; }
  // Fresh logits, in the order of neurons().
  void initialize(const Initialization& how, RandomSequence& random);

  virtual std::size_t winner_rows() const { return 0; }
  virtual bool packs_input() const { return false; }
  virtual bool can_pack_output() const { return false; }
  virtual bool reads_bits() const { return false; }
  // The head gives all features of a group the same gradient; storing it once per group keeps it in L1.
  virtual bool reads_gradient_runs() const { return false; }

  // Gate applications per sample: forward, and backward (through the winners of a pool only).
  std::size_t forward_applications() const;
  std::size_t backward_applications() const;

  // A shard's weight gradients: either 4 sums per gate (gradient times 1, a, b, ab), or 16 weight gradients per neuron
  // in the order of the neurons, which training then takes as they are.
  std::size_t sum_rows() const;
  virtual std::size_t sum_width() const = 0;
  // Which of the rows belongs to neuron `i` of neurons()[index].
  virtual std::size_t sum_row([[maybe_unused]] std::size_t index, std::size_t i) const { return i; }

  // Takes over the forward weights and frozen slots of some rows of neurons()[index], numbered from `first`: all that
  // have changed since the last step, before the shards run. Several calls at once, each for other rows.
  virtual void take_weights([[maybe_unused]] std::size_t index, [[maybe_unused]] std::size_t first, RowList) {}
  // Then, once per step.
  virtual void prepare() {}
  // Fresh weights for rows [first, first + count) of neurons()[index], and takes them over; after its begin_update().
  void update_rows(std::size_t index, const WeightPlan& plan, std::size_t first, std::size_t count);
  virtual void forward(const ForwardRows& rows) const = 0;
  virtual void backward(const BackwardRows& rows) const = 0;

  // Gradient of the loss in the mixture weights of some rows of neurons()[index], numbered from `first`, from summed
  // sums; grad_weights is [rows][16], from row `first` on. Sums of sixteen are that gradient.
  virtual void weight_gradient(std::size_t index, const float* sums, std::size_t first, RowList rows,
                               float* grad_weights) const;

  // Each part with every neuron replaced by its frozen or largest slot.
  std::vector<BooleanLayer> harden() const;

  void visit_state(StateVisitor& visitor);
  // Checks neurons and wiring after loading (an Error names what points nowhere) and recomputes what is derived.
  void rewire();
  // Recomputes what is derived from the slots and taps of one neuron; for layers whose neurons have slots of their own.
  virtual void rewire_neuron(std::size_t) {}

  // What the layer is, for people: its kind and what matters of its settings.
  std::string describe() const;

 protected:
  // Recomputes what is derived from the wiring.
  virtual void derive() {}
  // What to say about the way the layer runs; empty where there is nothing to say.
  virtual std::string remark() const { return {}; }

 private:
  std::span<LayerDescription> parts_;
  RowLayout input_, output_;
  std::deque<Neurons> own_;  // stays where it is as it grows
  std::vector<Neurons*> neurons_;
};

}  // namespace firn::model
