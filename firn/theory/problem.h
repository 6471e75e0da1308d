// What the theorems speak about: a small network, a population and a loss, with gate distributions in double.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "firn/kernels/mixture.h"
#include "firn/logic/gate.h"
#include "firn/model/model.h"
#include "firn/model/reference.h"
#include "firn/model/reference/losses.h"
#include "firn/theory/gate_list.h"
#include "firn/theory/population.h"

namespace firn::theory {

using GateWeights = std::array<double, kSlots>;  // one number per gate
using Distribution = std::vector<GateWeights>;   // [neuron]; a fixed neuron has all its weight on one gate
using Assignment = std::vector<Gate>;            // [neuron]

GateWeights all_on(Gate gate);
Distribution all_on(const Assignment& gates);
Assignment argmax(const Distribution& q);  // lowest gate on ties

// A model small enough to be looked at as a whole. Its formulas and gates are taken over once.
class SmallNetwork {
 public:
  explicit SmallNetwork(std::unique_ptr<Model> model);

  Model& model() { return *model_; }
  const Model& model() const { return *model_; }
  const reference::Network& formulas() const { return formulas_; }
  const GateList& gates() const { return gates_; }
  std::size_t neurons() const { return gates_.neurons; }

  Distribution distribution() const;  // of the model's logits, softmax in double; frozen neurons are their gate
  reference::Weights<double> weights(const Distribution& q) const;  // as the formulas take them

 private:
  std::unique_ptr<Model> model_;
  reference::Network formulas_;
  GateList gates_;
};

// The population as the network sees it: bits that no gate reads are cleared, and samples that have become equal are
// put together. Risks are the same, with fewer samples.
Population as_seen_by(const GateList& gates, const Population& population);

struct Problem {
  const SmallNetwork& network;
  const Population& population;
  const reference::LossFormulas& loss;
};

}  // namespace firn::theory
