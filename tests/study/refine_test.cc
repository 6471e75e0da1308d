// Refining checkpoints, and the strategy that refines while a network trains.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "firn/base/file.h"
#include "firn/study/argument_error.h"
#include "firn/study/compile_checkpoint.h"
#include "firn/study/config_text.h"
#include "firn/study/discretize_checkpoint.h"
#include "firn/study/evaluate_checkpoint.h"
#include "firn/study/refine_checkpoint.h"
#include "firn/study/session.h"
#include "firn/study/start.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_config.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

class RefineTest : public ::testing::Test {
 protected:
  RunFolder train(const std::string& name, const Config& config, const StartParams& params = {}) {
    const RunFolder folder(folder_ / name);
    EXPECT_TRUE(start_run(config, folder, params, threads_)->train(folder, {}));
    return folder;
  }
  RefineParams params(const std::filesystem::path& checkpoint, const std::string& out) {
    RefineParams params{.checkpoint = checkpoint, .output = folder_ / out};
    params.settings.shared_significance = params.settings.single_significance = 0.5;
    return params;
  }

  TemporaryFolder folder_;
  Threads threads_{2};
};

TEST_F(RefineTest, TheResultIsACheckpointLikeOthers) {
  const RunFolder run = train("run", small_config("final-argmax", 0));
  const RefineResult result = refine_checkpoint(params(run.last(), "refined.safetensors"), threads_);
  ASSERT_TRUE(result.is_complete);
  EXPECT_GT(result.changed_gates, 0u);
  EXPECT_LE(result.after.loss, result.before.loss);
  EXPECT_DOUBLE_EQ(result.change.loss, result.after.loss - result.before.loss);
  const auto evaluated =
      evaluate_checkpoint({.checkpoint = folder_ / "refined.safetensors", .subset = Subset::kValidation}, threads_);
  EXPECT_NEAR(evaluated.evaluations[1].loss(), result.after.loss, 1e-6);
  EXPECT_EQ(evaluated.evaluations[1].accuracy(), result.after.accuracy);
  EXPECT_EQ(evaluated.evaluations[0].accuracy(), result.after.accuracy) << "everything is frozen";
  EXPECT_NE(compile_checkpoint(folder_ / "refined.safetensors", {}).machine, nullptr);
  EXPECT_THAT(read_text(folder_ / "refined.safetensors.moves.csv"), HasSubstr("sweep,layer,neuron,before,after"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "refined.safetensors.partial"));
}

TEST_F(RefineTest, TrainingGoesOnWithRefinedNeuronsFrozen) {
  Config config = small_config("final-argmax", 0);
  config.train.keep_at = {24};
  const RunFolder run = train("run", config);
  RefineParams first = params(run.kept(24), "one.safetensors");
  first.settings.layers = {"fc1"};
  refine_checkpoint(first, threads_);
  const Checkpoint from = Checkpoint::read(folder_ / "one.safetensors");
  const RunFolder on = train("on", small_config("final-argmax", 0), {.from = &from});
  const LoadedCheckpoint before = load_checkpoint(folder_ / "one.safetensors", "");
  const LoadedCheckpoint after = load_checkpoint(on.last(), "");
  EXPECT_EQ(after.header.step, 60u);
  EXPECT_TRUE(after.experiment.model->neurons()[0]->all_frozen());
  EXPECT_EQ(after.experiment.model->neurons()[0]->frozen, before.experiment.model->neurons()[0]->frozen);
  EXPECT_EQ(after.experiment.model->neurons()[1]->frozen_count(), 0u);
}

// Layers whose slots have pairs of their own read only the operands that a gate depends on.
TEST_F(RefineTest, SlotsWithGatesOfTheirOwnGetTheRefinedGate) {
  Config config = parse_config(
      "[model]\nfamily = 'list'\n[[model.layer]]\nkind = 'slot-dense'\noutputs = 48\n[[model.layer]]\nkind = "
      "'slot-dense'\noutputs = 24\n",
      "test");
  const Config small = small_config("refine", 20);
  config.data = small.data;
  config.encode = small.encode;
  config.train = small.train;
  config.freeze = small.freeze;
  const std::string metrics = read_text(train("run", config).metrics());
  const auto last = nlohmann::json::parse(metrics.substr(metrics.rfind('\n', metrics.size() - 2) + 1));
  EXPECT_EQ(last["step"], 60);
  EXPECT_NEAR(last["relaxed"]["loss"], last["discrete"]["loss"], 1e-5) << "everything is frozen";
}

TEST_F(RefineTest, GoesOnAfterItWasKilledBetweenSweeps) {
  const RunFolder run = train("run", small_config("final-argmax", 0));
  refine_checkpoint(params(run.last(), "whole.safetensors"), threads_);
  RefineParams killed = params(run.last(), "killed.safetensors");
  killed.on_sweep = [](const SweepReport&) { throw Error("killed"); };
  EXPECT_EQ(error_of([&] { refine_checkpoint(killed, threads_); }), "killed");
  ASSERT_TRUE(std::filesystem::exists(folder_ / "killed.safetensors.partial"));
  killed.on_sweep = {};
  std::uint32_t done_before = 0;
  killed.on_start = [&](std::uint64_t, std::size_t, std::uint32_t sweeps) { done_before = sweeps; };
  refine_checkpoint(killed, threads_);
  EXPECT_EQ(done_before, 1u);
  EXPECT_EQ(read_text(folder_ / "killed.safetensors"), read_text(folder_ / "whole.safetensors"));
  EXPECT_EQ(read_text(folder_ / "killed.safetensors.moves.csv"), read_text(folder_ / "whole.safetensors.moves.csv"));
}

TEST_F(RefineTest, TheStateOfOtherSettingsIsNotTakenUp) {
  const RunFolder run = train("run", small_config("final-argmax", 0));
  RefineParams killed = params(run.last(), "out.safetensors");
  killed.on_sweep = [](const SweepReport&) { throw Error("killed"); };
  error_of([&] { refine_checkpoint(killed, threads_); });
  killed.on_sweep = {};
  killed.settings.seed = 2;
  std::uint32_t done_before = 99;
  killed.on_start = [&](std::uint64_t, std::size_t, std::uint32_t sweeps) { done_before = sweeps; };
  refine_checkpoint(killed, threads_);
  EXPECT_EQ(done_before, 0u);
}

TEST_F(RefineTest, TheStateOfOtherDataIsNotTakenUp) {
  const auto write_data = [&](int odd) {
    std::string text = "a,b,label\n";
    for (int i = 0; i < 200; ++i) text += fmt::format("{},{},{}\n", i % 7, i % 5, (i % 7 + i % 5 + (i == odd)) % 2);
    write_file(folder_ / "data.csv", text);
  };
  write_data(-1);
  Config config = small_config("final-argmax", 0);
  config.data = {.source = "csv", .file = (folder_ / "data.csv").string()};
  config.encode.encoding = "distributive";
  const RunFolder run = train("run", config);
  RefineParams killed = params(run.last(), "out.safetensors");
  killed.on_sweep = [](const SweepReport&) { throw Error("killed"); };
  killed.on_warning = [](const std::string& warning) { ADD_FAILURE() << warning; };
  error_of([&] { refine_checkpoint(killed, threads_); });
  ASSERT_TRUE(std::filesystem::exists(folder_ / "out.safetensors.partial"));
  write_data(17);
  killed.on_sweep = {};
  std::string warned;
  killed.on_warning = [&](const std::string& warning) { warned = warning; };
  std::uint32_t done_before = 99;
  killed.on_start = [&](std::uint64_t, std::size_t, std::uint32_t sweeps) { done_before = sweeps; };
  refine_checkpoint(killed, threads_);
  EXPECT_EQ(done_before, 0u);
  EXPECT_THAT(warned, HasSubstr("have changed since " + run.last().string()));
}

TEST_F(RefineTest, IsARuleOfDiscretization) {
  const RunFolder run = train("run", small_config("final-argmax", 0));
  DiscretizeParams discretize{.checkpoint = run.last(), .output = folder_ / "ruled.safetensors"};
  discretize.settings.rule = "refine";
  const DiscretizeResult result = discretize_checkpoint(discretize, threads_);
  EXPECT_LE(result.validation_after.loss(), result.validation_before.loss());
  const LoadedCheckpoint ruled = load_checkpoint(folder_ / "ruled.safetensors", "");
  for (const Neurons* neurons : ruled.experiment.model->neurons()) EXPECT_TRUE(neurons->all_frozen());
}

TEST_F(RefineTest, RefusesToReplaceItsOwnCheckpoint) {
  const RunFolder run = train("run", small_config("final-argmax", 0));
  RefineParams same = params(run.last(), "x");
  same.output = run.path() / "../run/last.safetensors";
  EXPECT_THROW(refine_checkpoint(same, threads_), ArgumentError);
}

std::map<std::string, std::set<std::string>> steps_by_layer(const RunFolder& run) {
  std::map<std::string, std::set<std::string>> steps;
  const std::string text = read_text(run.freezes());
  for (std::size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1) {
    const std::size_t comma = text.find(',', at), second = text.find(',', comma + 1);
    steps[text.substr(comma + 1, second - comma - 1)].insert(text.substr(at, comma - at));
  }
  return steps;
}

TEST_F(RefineTest, TheStrategyFreezesLayerByLayerAndEverythingInTheEnd) {
  Config config = small_config("refine", 20);
  config.freeze.refine.until = 2.0 / 3;
  const RunFolder run = train("run", config);
  const auto steps = steps_by_layer(run);
  EXPECT_EQ(steps.at("fc1"), std::set<std::string>{"20"});
  EXPECT_EQ(steps.at("fc2"), std::set<std::string>{"30"});
  EXPECT_EQ(steps.at("fc3"), std::set<std::string>{"60"});
  const LoadedCheckpoint last = load_checkpoint(run.last(), "");
  for (const Neurons* neurons : last.experiment.model->neurons()) EXPECT_TRUE(neurons->all_frozen());
}

TEST_F(RefineTest, TheStrategyEndsInTheSameBytesForAnyThreadsAndAfterAnInterruption) {
  Config config = small_config("refine", 20);
  config.freeze.refine.every = 7;
  const RunFolder whole = train("whole", config);
  const RunFolder folder(folder_ / "resumed");
  std::uint64_t seen = 0;
  Threads one(1);
  EXPECT_FALSE(start_run(config, folder, {}, one)
                   ->train(folder, {.on_step = [&](std::uint64_t step, double, std::optional<double>) { seen = step; },
                                    .cancelled = [&] { return seen >= 33; }}));
  EXPECT_TRUE(start_run(config, folder, {.resume = true}, one)->train(folder, {}));
  EXPECT_EQ(read_text(folder.last()), read_text(whole.last()));
}

}  // namespace
}  // namespace firn
