// How policy meets training: hooks choose a step's weights beforehand and see its results afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/state.h"
#include "firn/model/model.h"
#include "firn/train/loss.h"
#include "firn/train/optimizer.h"

namespace firn::training {

// What a step is about to do. Hooks may change the weight plan of any Neurons.
struct StepPlan {
  std::uint64_t step;               // 1..T
  std::vector<WeightPlan> weights;  // one per Neurons
};

// The scores of some rows, before the optimizer makes gradients of them. A hook that adds a term to the loss adds the
// term's scores here: of slot k of a neuron, the derivative of the term in weight k less its mean under the weights.
// Rows come in any order, and several threads bring them at once.
struct ScoreView {
  const Model& model;
  Model::RowBlock rows;
  float* scores;  // [rows][16]; meaningless where frozen
};

// What a step has done. Weights, and with them argmax and scores, are those of the step's own forward pass; logits have
// been updated since. A hook may freeze or rewire neurons of the model and reset optimizer rows.
struct StepView {
  std::uint64_t step;
  double loss;  // mean over the batch
  Model& model;
  Optimizer& optimizer;
  const std::vector<Matrix<float>>& scores;  // per Neurons, [neurons][16]; meaningless where frozen
};

class Hook {
 public:
  virtual ~Hook() = default;
  // The state of a hook is stored under its name; a checkpoint made with other hooks is refused.
  virtual std::string name() const = 0;
  virtual void before_step(StepPlan&) {}
  virtual void before_update(const ScoreView&) {}
  virtual void on_step(const StepView&) {}
  virtual void visit_state(StateVisitor&) {}
};

}  // namespace firn::training
