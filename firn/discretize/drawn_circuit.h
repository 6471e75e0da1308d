// A circuit drawn from a relaxed model, opened at one layer: gates of that layer can be exchanged and the loss of the
// whole seen again, at the price of the layers above.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/random.h"
#include "firn/base/threads.h"
#include "firn/model/model.h"
#include "firn/network/evaluate.h"
#include "firn/train/loss.h"

namespace firn::discretize {

// A gate to put in the place of another, with the taps it reads where neurons choose them together with their gate.
struct WiredGate {
  Gate gate = Gate::kFalse;
  bool has_taps = false;
  std::array<std::uint32_t, 2> channels{};
  std::array<std::uint8_t, 2> places{};
};
WiredGate gate_at(const BooleanLayer& layer, std::size_t index);
void set_gate(BooleanLayer& layer, std::size_t index, const WiredGate& gate);
// What slot `slot` of neuron `i` is in a circuit.
WiredGate wired_slot(const LayerDescription& wiring, const Neurons& neurons, std::size_t i, std::size_t slot);

// Every relaxed neuron replaced by a slot drawn with its softmax weight; the model is as before afterwards.
BooleanNetwork draw_circuit(Model& model, double temperature, RandomSequence& random);

class DrawnCircuit {
 public:
  // `input` holds the samples as bits, [feature][words]; truths say how many there are. Opened at boolean layer
  // `layer`.
  DrawnCircuit(BooleanNetwork circuit, std::size_t layer, const Matrix<std::uint64_t>& input, const Truths& truths,
               const Loss& loss);
  DrawnCircuit(const DrawnCircuit&) = delete;  // the evaluator points into it
  DrawnCircuit& operator=(const DrawnCircuit&) = delete;

  double loss_with(std::size_t index, const WiredGate& gate);  // sum over samples if gate `index` of the layer is this
  void exchange(std::size_t index, const WiredGate& gate);     // makes it so
  const BooleanLayer& layer() const { return layer_; }

 private:
  struct Outputs {
    std::size_t first;           // feature of the layer's output
    Matrix<std::uint64_t> rows;  // from there on
  };
  Outputs outputs_with(std::size_t index, const WiredGate& gate);
  void swap_into_place(Outputs& outputs);
  double loss();

  BooleanLayer layer_;
  BooleanNetwork above_;
  std::unique_ptr<BitEvaluator> above_evaluator_;  // null where the layer is the last
  Matrix<std::uint64_t> in_, out_;                 // of the layer, [feature][words]
  Head head_;
  Truths truths_;
  const Loss& loss_;
  std::vector<std::uint32_t> counts_;
  Matrix<float> class_sums_;  // [group][sample]
  Threads alone_{1};          // circuits run in parallel, each on one thread
};

}  // namespace firn::discretize
