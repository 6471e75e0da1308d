// One stage of a model: reads rows, writes rows, and carries gradients back. Layers hold no activations.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/shape.h"
#include "firn/base/state.h"
#include "firn/base/threads.h"
#include "firn/logic/boolean_network.h"
#include "firn/model/neurons.h"

namespace firn {

// What a layer reads and writes for one shard of samples. All rows have `samples` floats, a multiple of 16.
struct ForwardRows {
  std::size_t samples;
  const float* in;        // [input().rows()][samples]
  float* out;             // [output().rows()][samples]
  std::uint8_t* winners;  // [winner_rows()][samples]
};
struct BackwardRows {
  std::size_t samples;
  const float* in;              // as in forward
  const std::uint8_t* winners;  // as forward left them
  const float* grad_out;        // [output().rows()][samples]
  float* grad_in;               // [input().rows()][samples], zeroed by the caller; null where nobody needs it
  float* sums;                  // [sum_rows()][sum_width()], see Layer
  // Consecutive outputs may share one row of grad_out, and inputs one row of grad_in: row number / run is theirs.
  std::size_t grad_out_run = 1;  // more than 1 only where reads_gradient_runs()
  std::size_t grad_in_run = 1;   // more than 1 only where gradient_run() allows
};

[[noreturn]] void damaged_wiring(const std::string& layer, std::size_t number, std::size_t limit);

class Layer {
 public:
  Layer(std::string name, RowLayout input, RowLayout output) : name_(std::move(name)), input_(input), output_(output) {}
  virtual ~Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  const std::string& name() const { return name_; }
  const RowLayout& input() const { return input_; }
  const RowLayout& output() const { return output_; }
  // The next layer's padding becomes a border of zero rows around this layer's output. Called once, before any pass.
  void set_output_border(std::size_t border) {
    FIRN_CHECK(border == 0 || writes_images());
    output_.border = border;
  }
  virtual bool writes_images() const { return false; }  // may its output have a border?

  // The trainable neurons, from the input side; none for pooling and sums.
  std::span<Neurons* const> neurons() { return neurons_; }
  std::span<const Neurons* const> neurons() const { return neurons_; }

  virtual std::size_t winner_rows() const { return 0; }

  // The head gives all features of a group the same gradient; storing it once a group keeps it in the nearest cache.
  virtual std::size_t gradient_run() const { return 1; }
  virtual bool reads_gradient_runs() const { return false; }

  // Gate applications per sample: forward, and backward (through the winners of a pool only).
  virtual std::size_t forward_applications() const = 0;
  virtual std::size_t backward_applications() const { return forward_applications(); }

  // A shard's weight gradients: either 4 sums per gate (gradient times 1, a, b, ab) or 16 weight gradients per neuron.
  virtual std::size_t sum_rows() const { return 0; }
  virtual std::size_t sum_width() const { return 4; }

  // Takes over forward weights and frozen slots of the neurons; once per step, before the shards run.
  virtual void prepare(Threads&) {}
  virtual void forward(const ForwardRows& rows) const = 0;
  virtual void backward(const BackwardRows& rows) const = 0;

  // Gradient of the loss in the mixture weights of neurons()[index], rows [first, first + count), from summed sums.
  virtual void weight_gradient(std::size_t index, const float* sums, std::size_t first, std::size_t count,
                               float* grad_weights) const;

  // The layer with every neuron replaced by its frozen or largest slot; more than one where layers run fused.
  struct NamedBooleanLayer {
    std::string name;
    BooleanLayer layer;
  };
  virtual std::vector<NamedBooleanLayer> harden() const { return {}; }

  // Neurons and wiring. After loading, rewire() checks them (an Error names what points nowhere) and recomputes what is
  // derived from them.
  virtual void visit_state(StateVisitor&) {}
  virtual void rewire() {}

  // A line for `firn info`.
  virtual std::string describe() const = 0;

 protected:
  // Called by constructors, from the input side; the neurons stay where they are as long as the layer lives.
  void add_neurons(Neurons& neurons) { neurons_.push_back(&neurons); }

 private:
  std::string name_;
  RowLayout input_, output_;
  std::vector<Neurons*> neurons_;
};

// Throws an Error that names the layer unless every number is below `limit`; for wiring that comes from a file.
template <class Numbers>
void check_wiring(const std::string& layer, const Numbers& numbers, std::size_t limit) {
  for (const std::size_t number : numbers)
    if (number >= limit) damaged_wiring(layer, number, limit);
}

// How fresh logits are set.
struct Initialization {
  bool gaussian = false;  // else residual
  float residual = 5;     // logit of gate "a"
};
void initialize(Neurons& neurons, const Initialization& how, RandomSequence& random);

}  // namespace firn
