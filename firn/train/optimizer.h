// Adam and AdamW on the logits of a model, with clipping by global norm.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/state.h"
#include "firn/base/threads.h"
#include "firn/model/model.h"

namespace firn {

struct OptimizerSettings {
  double learning_rate = 0.02;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;  // decoupled (AdamW)
  double clip = 0;          // largest global norm of the gradient; 0: none
};

class Optimizer {
 public:
  Optimizer(const Model& model, const OptimizerSettings& settings);

  // One update from the scores S of every Neurons ([neurons][16]): the gradient of logit k is q_k S_k / temperature,
  // with the weights q of the backward pass. Frozen rows are left alone and do not count for the norm. `temperatures`
  // has one entry per Neurons.
  // Returns the first Neurons with a logit that is no longer finite, or null.
  const Neurons* update(Model& model, const std::vector<Matrix<float>>& scores, const std::vector<float>& temperatures,
                        Threads& threads);

  // Forgets the moments of one row; the number of updates stays, as for every other row.
  void reset_row(std::size_t group, std::size_t row);

  std::uint64_t updates() const { return updates_; }
  void visit_state(StateVisitor& visitor);

 private:
  double gradient_norm(const Model& model, const std::vector<Matrix<float>>& scores,
                       const std::vector<float>& temperatures, Threads& threads);

  struct Moments {
    std::string name;
    Matrix<float> first, second;  // [neurons][16]
  };
  OptimizerSettings settings_;
  std::vector<Moments> moments_;  // one per Neurons
  std::uint64_t updates_ = 0;
  std::vector<double> partial_;  // of the norm, one per block
};

}  // namespace firn
