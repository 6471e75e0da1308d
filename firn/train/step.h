// Forward and backward of one batch: shards in parallel, frozen layers on bits, scores of every neuron at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/ranks.h"
#include "firn/base/threads.h"
#include "firn/model/model.h"
#include "firn/network/evaluate.h"
#include "firn/train/loss.h"
#include "firn/train/reducer.h"

namespace firn::training {

// Where a batch comes from. Shards are asked for in parallel, one worker never twice at once; workers are numbered from
// 0 and fewer than the threads of the step.
class BatchInput {
 public:
  virtual ~BatchInput() = default;
  virtual Truths truths() const = 0;  // one per sample of the batch
  virtual bool is_binary() const = 0;
  // Writes samples [first, first + count) as rows of the model's input layout.
  virtual void write_rows(std::size_t first, std::size_t count, std::size_t worker, Matrix<float>& rows) = 0;
  // Writes samples [first, first + count) as bits [feature][words].
  virtual void write_bits(std::size_t first, std::size_t count, Matrix<std::uint64_t>& bits, Threads& threads) = 0;
};

// Seconds spent in the parts of a step, added up over threads for the first three. Sums of shards are waited for and
// added up in `reduce`.
struct StepTimes {
  double encode = 0, forward = 0, backward = 0, reduce = 0, gradients = 0, update = 0;
};

class BatchStep {
 public:
  // `shard` samples (a multiple of 16) go through the network together. It is a property of the run: it decides the
  // order of summation, and with it the last bits of every result.
  // Each rank runs some of the shards; the results are the same on all of them, and for any number of them.
  BatchStep(Model& model, Loss loss, std::size_t batch, std::size_t shard, Threads& threads, Ranks& ranks = one_rank());

  // Called with rows whose scores are there, from several threads at once, by whichever has just computed them: they
  // and the weights are still in its cache. Layers that are frozen entirely and lead the others are left out.
  using ScoresReady = std::function<void(const Model::RowBlock&)>;

  // Runs the batch under the given weight plans (one, or one per Neurons) and leaves the scores.
  LossSum run(BatchInput& input, const std::vector<WeightPlan>& plans, const ScoresReady& ready = {});

  // First-order scores of each Neurons, [neurons][16], from the last run; rows of frozen neurons are meaningless.
  const std::vector<Matrix<float>>& scores() const { return scores_; }
  std::vector<Matrix<float>>& scores() { return scores_; }  // for terms of the loss that the batch does not know

  // The last run's first layer with anything to learn: layers below it ran on bits or without gradients.
  std::size_t first_layer() const { return first_layer_; }
  StepTimes& times() { return times_; }

 private:
  void run_prefix_on_bits(BatchInput& input);
  void run_shards(BatchInput& input);
  LossSum run_shard(BatchInput& input, std::size_t shard, std::size_t worker);
  void compute_scores(const ScoresReady& ready);

  Model& model_;
  Loss loss_;
  std::size_t batch_, shard_;
  Threads& threads_;
  std::vector<Workspace> workspaces_;  // one per worker
  Reducer reducer_;
  std::vector<ShardSums> shard_sums_;  // one per shard of our own
  ShardSums total_;                    // without layers whose sums go straight into their scores
  std::vector<LossSum> shard_losses_;  // of all shards
  std::vector<StepTimes> worker_times_;
  std::vector<Matrix<float>> scores_;
  std::size_t first_layer_ = 0;
  StepTimes times_;

  // The frozen prefix as a Boolean network, rebuilt when it has grown or when a frozen gate was changed.
  std::size_t bit_layers_ = 0;      // layers that ran on bits in this run
  std::size_t prefix_layers_ = 0;   // layers that prefix_ holds
  std::vector<Gate> prefix_gates_;  // of those layers
  std::unique_ptr<BooleanNetwork> prefix_;
  std::unique_ptr<BitEvaluator> prefix_evaluator_;
  Matrix<std::uint64_t> input_bits_;                      // [feature][words]
  const Matrix<std::uint64_t>* prefix_output_ = nullptr;  // rows of the prefix's last layer
};

}  // namespace firn::training
