// What a strategy costs: processor time of training steps with it, against steps without, in interleaved pairs.
// Before anything is timed, the two trainings must have learned the same logits: watching changes nothing.

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/study/policies.h"
#include "firn/train/trainer.h"

namespace firn {
namespace {

constexpr int kPairs = 200;
constexpr int kWarmUp = 5;

Config config_of(const std::string& family, std::size_t width, const std::string& strategy) {
  Config config;
  config.model = {.family = family, .width = width};
  config.train.shard = family == "compact" ? 16 : 32;
  config.data.augment = "flip-crop";
  config.encode = {.encoding = "uniform", .thresholds = 3};
  config.freeze.strategy = strategy;
  config.freeze.task.score = "every-step";
  config.freeze.task.interval = kPairs / 2;  // decides twice, but nothing can be frozen before the third time
  return config;
}

Experiment random_experiment(const Config& config) {
  Dataset data;
  data.name = "random images";
  data.shape = {3, 32, 32};
  data.classes = 10;
  const std::size_t count = 4 * config.train.batch;
  Matrix<std::uint8_t> images(count, data.shape.size());
  RandomSequence random(1, "benchmark");
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint8_t& byte : images[i]) byte = static_cast<std::uint8_t>(random.below(256));
    data.train.labels.push_back(static_cast<std::uint16_t>(random.below(10)));
  }
  data.train.bytes = std::move(images);
  Split split{all_indices(count), {}};
  Encoder encoder = fit_encoder(config.encode, data, split.train);
  auto model = build_model(config.model, encoder.output_shape(), data.classes, config.seed);
  return {std::move(data), std::move(split), std::move(encoder), std::move(model), loss_from_name("cross-entropy")};
}

class Training {
 public:
  Training(const Config& config, Threads& threads)
      : config_(config),
        experiment_(random_experiment(config)),
        policies_(config_, experiment_, threads),
        trainer_(experiment_, setup(), threads) {}

  double step_seconds() {
    const double start = processor_seconds();
    trainer_.train_one_step();
    return processor_seconds() - start;
  }
  bool equals(const Training& other) const {
    const auto mine = experiment_.model->neurons(), theirs = other.experiment_.model->neurons();
    for (std::size_t g = 0; g < mine.size(); ++g)
      if (std::memcmp(mine[g]->logits.data(), theirs[g]->logits.data(), mine[g]->logits.bytes()) != 0) return false;
    return true;
  }

 private:
  static double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  Trainer::Setup setup() {
    Trainer::Setup setup{.settings = config_.train, .config = "", .augment = config_.data.augment};
    setup.hooks = policies_.hooks();
    return setup;
  }

  Config config_;
  Experiment experiment_;
  Policies policies_;
  Trainer trainer_;
};

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

void time_pairs(benchmark::State& state, const std::string& family, std::size_t width) {
  Threads threads(1);
  Training plain(config_of(family, width, "final-argmax"), threads);
  Training task(config_of(family, width, "task"), threads);
  for (int i = 0; i < kWarmUp; ++i) {
    plain.step_seconds();
    task.step_seconds();
  }
  FIRN_CHECK(plain.equals(task));
  std::vector<double> plain_ms, task_ms, ratios;
  for (auto _ : state) {
    plain_ms.push_back(1e3 * plain.step_seconds());
    task_ms.push_back(1e3 * task.step_seconds());
    ratios.push_back(task_ms.back() / plain_ms.back());
    state.SetIterationTime(1e-3 * task_ms.back());
  }
  FIRN_CHECK(plain.equals(task));
  state.counters["plain_ms"] = median(plain_ms);
  state.counters["task_ms"] = median(task_ms);
  state.counters["ratio"] = median(ratios);
}

void TaskEveryStepOnTreeLogicNetS(benchmark::State& state) {
  time_pairs(state, "treelogicnet", 32);
}
void TaskEveryStepOnCompactK16(benchmark::State& state) {
  time_pairs(state, "compact", 16);
}

BENCHMARK(TaskEveryStepOnTreeLogicNetS)->Iterations(kPairs)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(TaskEveryStepOnCompactK16)->Iterations(kPairs)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace firn
