#include "firn/study/diagnose_shocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "firn/base/file.h"
#include "firn/study/diagnose_checkpoint.h"
#include "firn/study/discretize_checkpoint.h"
#include "firn/study/start.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_config.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class DiagnoseShocksTest : public ::testing::Test {
 public:
  std::filesystem::path train(const std::string& name, const Config& config) {
    const RunFolder folder(folder_ / name);
    EXPECT_TRUE(start_run(config, folder, {}, threads_)->train(folder, {}));
    return folder.last();
  }
  ShockDiagnosis shocks_of(const std::filesystem::path& checkpoint, std::size_t batches, Threads& threads,
                           const std::string& out = "out") {
    DiagnoseParams params{.shocks = true, .batches = batches};
    params.settings = {.effects = false, .locality = false, .held_out = false, .gaps = false};
    return diagnose_checkpoint(checkpoint, folder_ / out, params, threads).shocks.value();
  }

  TemporaryFolder folder_;
  Threads threads_{2};
};

// A run that goes on with a learning rate of almost zero sees the recorded batches: a strategy that freezes after
// `patience` evaluations of one step each, and forgets at once, writes the score of step 60 + patience down.
void expect_scores_of_training(DiagnoseShocksTest& test, std::uint64_t patience, double area_weight) {
  Config config = small_config("task", 60);
  config.area.weight = area_weight;
  const auto checkpoint = test.train("run", config);
  const ShockDiagnosis diagnosis = test.shocks_of(checkpoint, 2, test.threads_);
  config.train.steps = 60 + patience;
  config.train.optimizer.learning_rate = 1e-30;
  config.freeze.task = {.interval = 1, .half_life = 1e-3, .patience = patience};
  study::Run run(config, "", test.threads_);
  run.fork(Checkpoint::read(checkpoint));
  std::vector<FreezeEvent> events;
  run.on_freeze = [&](const FreezeEvent& event) { events.push_back(event); };
  run.train({});
  EXPECT_GT(events.size(), 10u);
  for (const FreezeEvent& event : events) {
    const auto own = std::ranges::find_if(diagnosis.neurons, [&](const NeuronShock& n) {
      return diagnosis.layers[n.layer] == event.layer && n.neuron == event.neuron;
    });
    ASSERT_NE(own, diagnosis.neurons.end());
    EXPECT_EQ(own->slot, event.slot);
    // Of two values, mean and deviation tell both; that of step 61 and that of step 62 must be among them.
    const double far = own->deviation / std::sqrt(2);
    EXPECT_NEAR(std::min(std::abs(own->mean - far - event.score), std::abs(own->mean + far - event.score)), 0,
                1e-6 * std::abs(event.score) + 1e-12)
        << event.layer << event.neuron;
  }
}

TEST_F(DiagnoseShocksTest, AreTheScoresThatTrainingSees) {
  expect_scores_of_training(*this, 1, 0);
}

TEST_F(DiagnoseShocksTest, GoOnWithTheNextBatch) {
  expect_scores_of_training(*this, 2, 0);
}

TEST_F(DiagnoseShocksTest, HoldThePriceOfArea) {
  expect_scores_of_training(*this, 1, 0.5);
}

TEST_F(DiagnoseShocksTest, SummarizesEveryLayerAndReplaysTheRule) {
  const auto checkpoint = train("run", small_config("final-argmax", 0));
  const ShockDiagnosis diagnosis = shocks_of(checkpoint, 50, threads_);
  EXPECT_EQ(diagnosis.batches, 50u);
  EXPECT_EQ(diagnosis.neurons.size(), 3u * 64);
  ASSERT_EQ(diagnosis.summaries.size(), 4u);
  EXPECT_EQ(diagnosis.summaries.back().layer, "all");
  std::size_t negative = 0, misleading = 0;
  for (const NeuronShock& neuron : diagnosis.neurons) {
    negative += neuron.mean < 0;
    misleading += (neuron.mean > 0 && neuron.negative > 0.5) || (neuron.mean < 0 && neuron.positive > 0.5);
  }
  EXPECT_EQ(diagnosis.summaries.back().misleading, misleading);
  EXPECT_EQ(diagnosis.summaries.back().negative, negative);
  for (const LayerShocks& layer : diagnosis.summaries) {
    EXPECT_TRUE(std::ranges::is_sorted(layer.frozen.measured.mean)) << "nothing thaws";
    EXPECT_TRUE(std::ranges::is_sorted(layer.frozen.every_step.mean));
    EXPECT_LE(layer.frozen.measured.lowest[0], layer.frozen.measured.mean[0]);
    EXPECT_LT(std::abs(layer.correlation.value()), 1);
    EXPECT_LE(std::abs(layer.with_loss.value()), 1);
    EXPECT_LE(layer.frozen.every_step.highest.back(), 1);
  }
  // Sums of one, two and three independent symmetric numbers are all negative in 5/16 of the cases; the weights of the
  // average and the few batches change that a little.
  const double moving = static_cast<double>(192 - diagnosis.summaries.back().silent) / 192;
  EXPECT_NEAR(diagnosis.summaries.back().frozen.centred.mean.front(), 0.31 * moving, 0.11);
  const std::string table = read_text(folder_ / "out/shocks.csv");
  EXPECT_THAT(table, HasSubstr("layer,neuron,slot,logit,entropy,mean,deviation,negative_batches,positive_batches\n"));
  EXPECT_EQ(std::ranges::count(table, '\n'), 1 + 3 * 64);
  const auto summary = nlohmann::json::parse(read_text(folder_ / "out/summary.json"));
  EXPECT_EQ(summary["shocks"]["layers"]["fc2"]["neurons"], 64);
  EXPECT_EQ(summary["shocks"]["layers"]["all"]["negative_mean"], negative);
}

TEST_F(DiagnoseShocksTest, DoNotDependOnThreads) {
  const auto checkpoint = train("run", small_config("final-argmax", 0));
  Threads one(1);
  shocks_of(checkpoint, 20, threads_, "two");
  shocks_of(checkpoint, 20, one, "one");
  for (const char* name : {"shocks.csv", "summary.json"})
    EXPECT_EQ(read_text(folder_ / "two" / name), read_text(folder_ / "one" / name)) << name;
}

TEST_F(DiagnoseShocksTest, NeedTwoBatchesAndSomethingToDecide) {
  const auto checkpoint = train("run", small_config("final-argmax", 0));
  EXPECT_THAT(error_of([&] { shocks_of(checkpoint, 1, threads_); }), HasSubstr("one batch is too few"));
  for (std::size_t batches : {std::size_t{1} << 40, std::numeric_limits<std::size_t>::max() / 2})
    EXPECT_THAT(error_of([&] { shocks_of(checkpoint, batches, threads_); }),
                AllOf(HasSubstr("recording the shocks of"), HasSubstr("choose a smaller number of batches")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out")) << "refused before anything is made";
  discretize_checkpoint({.checkpoint = checkpoint, .output = folder_ / "frozen.safetensors"}, threads_);
  EXPECT_THAT(error_of([&] { shocks_of(folder_ / "frozen.safetensors", 10, threads_); }),
              HasSubstr("nothing is left to decide"));
}

TEST_F(DiagnoseShocksTest, ARuleThatIsTooLongToReplayIsRefused) {
  Config config = small_config("final-argmax", 0);
  config.freeze.task.patience = std::uint64_t{1} << 50;
  const auto checkpoint = train("run", config);
  EXPECT_THAT(error_of([&] { shocks_of(checkpoint, 10, threads_); }),
              AllOf(HasSubstr("replaying the rule of this checkpoint"), HasSubstr("freeze.task.patience")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(DiagnoseShocksTest, DamagedChecksumsAreFoundBeforeTheWork) {
  const auto checkpoint = train("run", small_config("final-argmax", 0));
  std::filesystem::create_directories(folder_ / "out");
  write_file(folder_ / "out/checksums.json", "damaged");
  bool has_worked = false;
  DiagnoseParams params{.on_stage = [&](auto, auto, auto) { has_worked = true; }};
  EXPECT_THAT(error_of([&] { diagnose_checkpoint(checkpoint, folder_ / "out", params, threads_); }),
              HasSubstr("checksums.json is damaged"));
  EXPECT_FALSE(has_worked);
}

}  // namespace
}  // namespace firn
