#include "firn/train/step.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/pairwise_tree.h"

namespace firn::training {

namespace {

// An even number of words: the narrowest rows that the bit kernels take.
std::size_t words_for(std::size_t samples) {
  return (samples + 127) / 128 * 2;
}

// Brings the gates of the first `layers` layers, all of which are frozen, up to date; true where they were not.
bool update_frozen_gates(const Model& model, std::size_t layers, std::vector<Gate>& gates) {
  bool has_changed = false;
  std::size_t at = 0;
  for (std::size_t g = 0; g < model.neurons().size() && model.layer_of(g) < layers; ++g) {
    const Neurons& neurons = *model.neurons()[g];
    if (gates.size() < at + neurons.count()) gates.resize(at + neurons.count());
    for (std::size_t i = 0; i < neurons.count(); ++i, ++at) {
      const Gate gate = neurons.gate(i, static_cast<std::size_t>(neurons.frozen[i]));
      has_changed |= gates[at] != gate;
      gates[at] = gate;
    }
  }
  return has_changed;
}

}  // namespace

BatchStep::BatchStep(Model& model, Loss loss, std::size_t batch, std::size_t shard, Threads& threads, Ranks& ranks)
    : model_(model),
      loss_(std::move(loss)),
      batch_(batch),
      shard_(shard),
      threads_(threads),
      reducer_(model, (batch + shard - 1) / shard, ranks),
      total_(model.make_sums()) {
  FIRN_CHECK(shard > 0 && shard % 16 == 0 && batch > 0);
  const std::size_t own = reducer_.own().count();
  for (std::size_t s = 0; s < own; ++s) shard_sums_.push_back(model.make_sums());
  const std::size_t workers = std::min<std::size_t>(own, static_cast<std::size_t>(threads.count()));
  for (std::size_t w = 0; w < workers; ++w) workspaces_.push_back(model.make_workspace(shard, /*with_gradients=*/true));
  worker_times_.resize(workers);
  shard_losses_.resize((batch + shard - 1) / shard);
  for (const Neurons* group : model.neurons()) scores_.emplace_back(group->count(), kSlots);
  // Sixteen sums per neuron are the gradient in its weights, and nobody else reads them.
  for (std::size_t l = 0; l < model.layer_count(); ++l)
    if (reducer_.adds_rows() && model.layer(l).sum_width() == kSlots) total_.layers[l] = {};
}

LossSum BatchStep::run(BatchInput& input, const std::vector<WeightPlan>& plans, const ScoresReady& ready) {
  FIRN_CHECK(input.truths().size() <= batch_);
  Stopwatch watch;
  times_ = {};
  std::fill(worker_times_.begin(), worker_times_.end(), StepTimes{});
  model_.prepare(plans, threads_);
  watch.add_to(times_.update);
  first_layer_ = model_.frozen_prefix();
  bit_layers_ = input.is_binary() ? first_layer_ : 0;
  if (bit_layers_ > 0 && reducer_.own().count() > 0) run_prefix_on_bits(input);
  run_shards(input);
  for (const StepTimes& t : worker_times_) {
    times_.encode += t.encode;
    times_.forward += t.forward;
    times_.backward += t.backward;
  }
  watch = {};
  reducer_.reduce(shard_sums_, first_layer_, total_, shard_losses_, threads_);
  watch.add_to(times_.reduce);
  compute_scores(ready);
  watch.add_to(times_.gradients);
  return pairwise_sum(std::span<const LossSum>(shard_losses_));
}

void BatchStep::run_prefix_on_bits(BatchInput& input) {
  Stopwatch watch;
  const RankShare& own = reducer_.own();
  const bool has_changed = update_frozen_gates(model_, bit_layers_, prefix_gates_);
  if (has_changed || prefix_layers_ != bit_layers_) {
    prefix_layers_ = bit_layers_;
    const std::size_t words = words_for(own.count() * shard_);  // the last shard may reach beyond the batch
    prefix_ = std::make_unique<BooleanNetwork>(model_.harden_prefix(bit_layers_));
    prefix_evaluator_ = std::make_unique<BitEvaluator>(*prefix_, words);
    input_bits_ = Matrix<std::uint64_t>(prefix_->input.size(), words, 16);
  }
  const std::size_t samples = input.truths().size(), first = std::min(own.first * shard_, samples);
  input.write_bits(first, std::min(own.last * shard_, samples) - first, input_bits_, threads_);
  watch.add_to(times_.encode);
  prefix_output_ = &prefix_evaluator_->run(input_bits_, threads_);
  watch.add_to(times_.forward);
}

// One task per workspace, each taking the next shard until none is left. Numbers of threads would not do to choose a
// workspace: with more threads than shards, any of them may come to work.
void BatchStep::run_shards(BatchInput& input) {
  std::atomic<std::size_t> next = reducer_.own().first;
  threads_.for_each(workspaces_.size(), [&](std::size_t task, std::size_t) {
    for (std::size_t shard; (shard = next.fetch_add(1)) < reducer_.own().last;)
      shard_losses_[shard] = run_shard(input, shard, task);
  });
}

LossSum BatchStep::run_shard(BatchInput& input, std::size_t shard, std::size_t worker) {
  Stopwatch watch;
  StepTimes& times = worker_times_[worker];
  Workspace& workspace = workspaces_[worker];
  const Truths truths = input.truths();
  const std::size_t own = shard - reducer_.own().first;
  const std::size_t first = shard * shard_, count = first < truths.size() ? std::min(shard_, truths.size() - first) : 0;
  if (bit_layers_ > 0) {
    model_.set_input_bits(workspace, bit_layers_, *prefix_output_, own * shard_);
  } else {
    input.write_rows(first, count, worker, workspace.values[0]);
  }
  watch.add_to(times.encode);
  model_.forward(workspace, bit_layers_);
  watch.add_to(times.forward);
  const LossSum sum = loss_(workspace.class_sums, truths.subspan(std::min(first, truths.size()), count),
                            1.0 / static_cast<double>(truths.size()), &workspace.class_sum_gradient);
  model_.backward(workspace, first_layer_, shard_sums_[own]);
  watch.add_to(times.backward);
  return sum;
}

// Sums, scores and whatever comes next, a few rows at a time: they are still in L1 from one to the other.
void BatchStep::compute_scores(const ScoresReady& ready) {
  model_.for_each_row_block(threads_, [&](const Model::RowBlock& block) {
    const std::size_t l = model_.layer_of(block.group);
    if (l < first_layer_) return;
    const Neurons& neurons = *model_.neurons()[block.group];
    for_each_chunk(block.first, block.count, [&](std::size_t first, std::size_t count) {
      RowNumbers room;
      const RowList rows = neurons.relaxed_rows(first, count, room);
      if (rows.count == 0) return;
      float* scores = scores_[block.group].row(first);
      const Matrix<float>& sums = total_.layers[l];
      if (sums.rows() == 0)
        reducer_.add_rows(l, first, rows, scores);
      else
        model_.layer(l).weight_gradient(model_.index_in_layer(block.group), sums.data(), first, rows, scores);
      score_rows(rows, scores, neurons.gradient_weights().row(first), scores);
      if (ready) ready({block.group, first, count});
    });
  });
}

}  // namespace firn::training
