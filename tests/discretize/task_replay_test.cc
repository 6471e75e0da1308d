// TaskFreeze under resampling, replayed: a hook records what each step showed, the rule is written down once more over
// the record of a single neuron, and the two must freeze the same neurons at the same steps to the same slots.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "firn/discretize/strategy.h"
#include "tests/support/random_models.h"

namespace firn {
namespace {

using Redraw = Resampler::Redraw;
using Freeze = std::tuple<std::uint64_t, std::string, std::size_t, std::size_t>;  // step, layer, neuron, slot

// What one step shows of one neuron.
struct Sight {
  std::size_t argmax;
  double score;  // of that slot
  Redraw redraw;
};
using History = std::vector<Sight>;  // element t - 1 is step t

constexpr std::uint64_t kSteps = 600, kStart = 50;
constexpr std::size_t kBatch = 24;

class Recorder final : public Hook {
 public:
  explicit Recorder(const Resampler& resampler) : resampler_(resampler) {}
  std::string name() const override { return "recorder"; }

  void on_step(const StepView& step) override {
    const auto groups = step.model.neurons();
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (std::size_t i = 0; i < groups[g]->count(); ++i) {
        const auto weights = groups[g]->forward_weights[i];
        const auto slot = static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin());
        histories[{groups[g]->name, i}].push_back({slot, step.scores[g].row(i)[slot], resampler_.last_redraws(g)[i]});
      }
  }

  std::map<std::pair<std::string, std::size_t>, History> histories;

 private:
  const Resampler& resampler_;
};

struct Training {
  std::map<std::pair<std::string, std::size_t>, History> histories;
  std::vector<Freeze> freezes;
};

// A tiny compact network on random batches, resampled so eagerly that most neurons are redrawn again and again.
Training train(const TaskSettings& task) {
  FreezeSettings settings;
  settings.strategy = "task";
  settings.start = kStart;
  settings.task = task;
  const auto model = tiny_compact_model(5);
  Threads threads(1);
  const auto optimizer = make_optimizer(*model, {});
  LogitGradients gradients(*model);
  Freezer freezer(*model, resolve_scope(*model, {"all"}));
  Resampler resampler(*model, {.enabled = true, .patience = 12, .tolerance = 0.05, .strong = 0.37, .weak = 0.36}, 5,
                      threads);
  Recorder recorder(resampler);
  StrategyContext context{settings, *model, freezer, threads, 1, kSteps};
  context.redraw = [&](std::size_t group, std::size_t i) { return resampler.last_redraws(group)[i]; };
  const auto strategy = make_strategy(context);
  Training run;
  freezer.on_freeze = [&](const FreezeEvent& e) { run.freezes.emplace_back(e.step, e.layer, e.neuron, e.slot); };
  BatchStep step(*model, loss_from_name("cross-entropy"), kBatch, 16, threads);
  const std::vector<float> temperatures(model->neurons().size(), 1.f);
  for (std::uint64_t t = 1; t <= kSteps; ++t) {
    RandomBatch batch(*model, kBatch, true, t % 20);
    const double loss = step.run(batch, {WeightPlan{}}).loss / kBatch;
    gradients.assign(step.scores(), temperatures);
    optimizer->update(*model, gradients, /*learning_rate=*/0.05, threads);
    for (Hook* hook : {static_cast<Hook*>(&resampler), static_cast<Hook*>(&recorder), strategy.get()})
      hook->on_step({t, loss, *model, *optimizer, step.scores()});
  }
  run.histories = std::move(recorder.histories);
  std::ranges::sort(run.freezes);
  return run;
}

// Every K steps after the start: average <- beta * average + (1 - beta) * shock; frozen once the average was negative
// at P evaluations in a row. The shock is the score of this step, or the mean over the steps since the last evaluation.
// A step in which the neuron was redrawn does not count; a weak redraw clears everything.
std::optional<std::pair<std::uint64_t, std::size_t>> replay(const TaskSettings& task, const History& history) {
  const double beta = std::pow(0.5, static_cast<double>(task.interval) / task.half_life);
  double average = 0;
  std::uint64_t negative = 0;
  std::vector<double> shocks;
  for (std::uint64_t t = kStart + 1; t <= kSteps; ++t) {
    const Sight& now = history[t - 1];
    const bool evaluation = t % task.interval == 0;
    if (now.redraw == Redraw::kWeak) {
      average = 0;
      negative = 0;
      shocks.clear();
    }
    if (now.redraw == Redraw::kNone && (evaluation || task.score == "every-step")) shocks.push_back(now.score);
    if (!evaluation) continue;
    if (now.redraw == Redraw::kNone) {
      double mean = 0;
      for (double shock : shocks) mean += shock;
      mean /= static_cast<double>(shocks.size());
      average = beta * average + (1 - beta) * mean;
      negative = average < 0 ? negative + 1 : 0;
      if (negative == task.patience) return std::pair{t, now.argmax};
    }
    shocks.clear();
  }
  return std::nullopt;
}

class TaskReplay : public testing::TestWithParam<const char*> {};

TEST_P(TaskReplay, AgreesFreezeByFreeze) {
  const TaskSettings task{.interval = 10, .half_life = 30, .patience = 3, .score = GetParam()};
  const Training run = train(task);
  std::vector<Freeze> expected;
  std::size_t weak_between = 0, strong = 0;
  for (const auto& [neuron, history] : run.histories) {
    if (const auto freeze = replay(task, history))
      expected.emplace_back(freeze->first, neuron.first, neuron.second, freeze->second);
    for (std::uint64_t t = kStart + 1; t <= kSteps; ++t) {
      weak_between += history[t - 1].redraw == Redraw::kWeak && t % task.interval != 0;
      strong += history[t - 1].redraw == Redraw::kStrong;
    }
  }
  std::ranges::sort(expected);
  EXPECT_EQ(run.freezes, expected);
  // The run must put the rule to the test.
  EXPECT_GT(expected.size(), 40u);
  EXPECT_GT(weak_between, 100u);
  EXPECT_GT(strong, 5u);
}

INSTANTIATE_TEST_SUITE_P(Scores, TaskReplay, testing::Values("minibatch", "every-step"),
                         [](const auto& scores) { return scores.index == 0 ? "Minibatch" : "EveryStep"; });

}  // namespace
}  // namespace firn
