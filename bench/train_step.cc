// Times whole training steps: forward, backward, scores and update of a batch of 128 random images.
// Before anything is timed, one and two threads must have trained the same logits for two steps.

#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/model/build.h"
#include "firn/train/optimizer.h"
#include "firn/train/step.h"

namespace firn {
namespace {

constexpr std::size_t kBatch = 128;

// Random bits, the same in every step.
class RandomInput final : public BatchInput {
 public:
  explicit RandomInput(const RowLayout& layout) : layout_(layout), bits_(layout.shape.size(), kBatch / 64, 16) {
    RandomSequence random(1, "bench");
    for (std::size_t f = 0; f < bits_.rows(); ++f)
      for (std::uint64_t& word : bits_[f]) word = std::uint64_t{random.next()} << 32 | random.next();
    for (std::size_t s = 0; s < kBatch; ++s) labels_.push_back(static_cast<std::uint16_t>(random.below(10)));
  }

  Truths truths() const override { return labels_; }
  bool is_binary() const override { return true; }
  void write_rows(std::size_t first, std::size_t count, std::size_t, Matrix<float>& rows) override {
    for (std::size_t f = 0; f < bits_.rows(); ++f) {
      float* row = rows.row(layout_.row_of_feature(f));
      for (std::size_t s = 0; s < count; ++s)
        row[s] = static_cast<float>(bits_[f][(first + s) / 64] >> (first + s) % 64 & 1);
    }
  }
  void write_bits(std::size_t first, std::size_t count, Matrix<std::uint64_t>& bits, Threads&) override {
    FIRN_CHECK(first == 0 && count == kBatch);
    for (std::size_t f = 0; f < bits_.rows(); ++f) std::ranges::copy(bits_[f], bits.row(f));
  }

 private:
  RowLayout layout_;
  Matrix<std::uint64_t> bits_;
  std::vector<std::uint16_t> labels_;
};

class Training {
 public:
  Training(const ModelSettings& settings, std::size_t shard, int threads, bool frozen)
      : threads_(threads),
        model_(build_model(settings, {9, 32, 32}, 10, 1)),
        input_(model_->input()),
        step_(*model_, loss_from_name("cross-entropy"), kBatch, shard, threads_),
        optimizer_(make_optimizer(*model_, optimizer_settings_)),
        gradients_(*model_),
        temperatures_(model_->neurons().size(), 1.f) {
    for (Neurons* group : model_->neurons())
      if (frozen && group->convolutional) std::ranges::fill(group->frozen, static_cast<std::int8_t>(Gate::kA));
  }

  void run() {
    gradients_.assign(step_.scores(), temperatures_);
    optimizer_->start(optimizer_settings_.learning_rate);
    step_.run(input_, plan_, [this](const Model::RowBlock& rows) { optimizer_->move_rows(*model_, gradients_, rows); });
  }
  const StepTimes& times() { return step_.times(); }
  bool equals(const Training& other) const {
    for (std::size_t g = 0; g < temperatures_.size(); ++g) {
      const Matrix<float>&a = model_->neurons()[g]->logits, &b = other.model_->neurons()[g]->logits;
      if (std::memcmp(a.data(), b.data(), a.bytes()) != 0) return false;
    }
    return true;
  }

 private:
  Threads threads_;
  std::unique_ptr<Model> model_;
  RandomInput input_;
  BatchStep step_;
  OptimizerSettings optimizer_settings_;
  std::unique_ptr<Optimizer> optimizer_;
  LogitGradients gradients_;
  std::vector<float> temperatures_;
  std::vector<WeightPlan> plan_ = std::vector<WeightPlan>(1);
};

void verify(const ModelSettings& settings, std::size_t shard, bool frozen) {
  Training one(settings, shard, 1, frozen), two(settings, shard, 2, frozen);
  for (int i = 0; i < 2; ++i) {
    one.run();
    two.run();
  }
  FIRN_CHECK(one.equals(two));
}

void time_steps(benchmark::State& state, const ModelSettings& settings, std::size_t shard) {
  const int threads = static_cast<int>(state.range(0));
  const bool frozen = state.range(1) != 0;
  verify(settings, shard, frozen);
  Training training(settings, shard, threads, frozen);
  StepTimes sum;
  for (auto _ : state) {
    training.run();
    sum.forward += training.times().forward;
    sum.backward += training.times().backward;
  }
  // Milliseconds per step and thread.
  const double per_step = 1e3 / (threads * static_cast<double>(state.iterations()));
  state.counters["forward_ms"] = per_step * sum.forward;
  state.counters["backward_ms"] = per_step * sum.backward;
}

void TreeLogicNetS(benchmark::State& state) {
  time_steps(state, {.family = "treelogicnet", .width = 32}, 32);
}
void CompactS(benchmark::State& state) {
  time_steps(state, {.family = "compact", .width = 128}, 16);
}

BENCHMARK(TreeLogicNetS)
    ->ArgNames({"threads", "frozen"})
    ->ArgsProduct({{1, 2}, {0, 1}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(CompactS)
    ->ArgNames({"threads", "frozen"})
    ->ArgsProduct({{1, 2}, {0, 1}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace firn
