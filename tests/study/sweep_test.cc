#include "firn/study/sweep.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

std::string write(const Config& c) {
  return fmt::format("{} {} {} {} {} {} {}", c.name, c.seed, c.freeze.strategy, c.freeze.start, c.train.steps,
                     c.resample.after_start, fmt::join(c.train.keep_at, ","));
}

Config config_of(const std::string& strategy, std::uint64_t start) {
  Config config;
  config.data.source = "teacher";
  config.data.synthetic.inputs = 12;
  config.data.synthetic.examples = 600;
  config.encode.encoding = "passthrough";
  config.model = {.family = "dense", .width = 64, .layers = 3};
  config.train.steps = 60;
  config.train.batch = 32;
  config.train.shard = 16;
  config.train.eval_every = 20;
  config.train.checkpoint_every = 7;
  config.train.optimizer.learning_rate = 0.05;
  config.freeze.strategy = strategy;
  config.freeze.start = start;
  config.freeze.task.interval = 4;
  config.freeze.task.half_life = 8;
  config.freeze.entropy.patience = 3;
  config.freeze.entropy.tolerance = 0.01;
  return config;
}

std::vector<SweepRun> six_strategies() {
  std::vector<SweepRun> runs;
  for (const char* strategy : {"final-argmax", "global", "task", "entropy", "layer-entropy", "cage"})
    for (std::uint64_t start : {15u, 30u}) {
      const Config config = config_of(strategy, start);
      runs.push_back({fmt::format("{}-{}", strategy, start), {config, write(config)}});
    }
  return runs;
}

SweepObserver deaf() {
  SweepObserver observer;
  observer.on_step = [](std::uint64_t) {};
  observer.on_result = [](const SweepRun&, const TestResult&) {};
  observer.on_failure = [](const SweepRun& run, const std::string& error) { ADD_FAILURE() << run.name << error; };
  return observer;
}

PrefixPlan no_prefixes(std::size_t runs) {
  return {{}, {runs, std::nullopt}};
}

class SweepTest : public ::testing::Test {
 protected:
  SweepSettings settings(const std::string& name, int jobs) const { return {folder_ / name, "", jobs, 1}; }

  TemporaryFolder folder_;
};

TEST_F(SweepTest, AForkEndsInTheSameBytesAsARunOfItsOwnForAllSixStrategies) {
  const auto runs = six_strategies();
  Sweep separate(runs, settings("separate", 1), no_prefixes(runs.size()));
  Sweep shared(runs, settings("shared", 2), plan_prefixes(runs, write));
  ASSERT_TRUE(separate.run(deaf()));
  ASSERT_TRUE(shared.run(deaf()));
  EXPECT_LT(shared.total_steps(), separate.total_steps());
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const char* file : {"last.safetensors", "best.safetensors", "freezes.csv", "result.json"})
      EXPECT_EQ(read_text(separate.run_path(r) / file), read_text(shared.run_path(r) / file)) << runs[r].name << file;
  EXPECT_GT(separate.results()[2]->last.frozen, 0) << "a strategy acted, so that the comparison means something";
}

TEST_F(SweepTest, WhatIsFinishedIsNotRepeatedAndWhatIsCancelledGoesOn) {
  const auto runs = six_strategies();
  const PrefixPlan plan = plan_prefixes(runs, write);
  Sweep whole(runs, settings("whole", 1), plan);
  ASSERT_TRUE(whole.run(deaf()));

  std::uint64_t steps = 0;
  SweepObserver observer = deaf();
  observer.on_step = [&](std::uint64_t done) { steps = done; };
  observer.cancelled = [&] { return steps >= 200; };
  EXPECT_FALSE(Sweep(runs, settings("parts", 1), plan).run(observer));

  Sweep rest(runs, settings("parts", 1), plan);
  EXPECT_GT(rest.finished_steps(), 0u);
  std::size_t results = 0;
  SweepObserver counting = deaf();
  counting.on_result = [&](const SweepRun&, const TestResult&) { ++results; };
  counting.on_step = [&](std::uint64_t done) { steps = done; };
  ASSERT_TRUE(rest.run(counting));
  EXPECT_LT(results, runs.size());
  EXPECT_EQ(steps, rest.total_steps());
  for (std::size_t r = 0; r < runs.size(); ++r)
    EXPECT_EQ(read_text(whole.run_path(r) / "last.safetensors"), read_text(rest.run_path(r) / "last.safetensors"));
}

TEST_F(SweepTest, AFailedRunDoesNotStopTheOthers) {
  std::vector<SweepRun> runs = six_strategies();
  runs.resize(2);
  runs[0].written.config.freeze.scope = {"conv7"};
  Sweep sweep(runs, settings("failing", 1), no_prefixes(runs.size()));
  std::vector<std::string> errors;
  SweepObserver observer = deaf();
  observer.on_failure = [&](const SweepRun&, const std::string& error) { errors.push_back(error); };
  EXPECT_FALSE(sweep.run(observer));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_THAT(errors[0], HasSubstr("conv7"));
  EXPECT_FALSE(sweep.results()[0]);
  EXPECT_TRUE(sweep.results()[1]);
}

TEST_F(SweepTest, WhatAnObserverThrowsReachesTheCallerFromAnyThread) {
  std::vector<SweepRun> runs = six_strategies();
  for (SweepRun& run : runs) run.written.config.freeze.scope = {"conv7"};
  SweepObserver observer = deaf();
  observer.on_failure = [](const SweepRun&, const std::string&) { throw std::runtime_error("deaf"); };
  Sweep sweep(runs, settings("throwing", 3), no_prefixes(runs.size()));
  EXPECT_THROW(sweep.run(observer), std::runtime_error);
}

TEST_F(SweepTest, AFolderWithRunsOfOtherConfigurationsIsRefused) {
  std::vector<SweepRun> runs = six_strategies();
  runs.resize(1);
  ASSERT_TRUE(Sweep(runs, settings("old", 1), no_prefixes(1)).run(deaf()));
  runs[0].written.text += "changed";
  EXPECT_THAT(error_of([&] { Sweep(runs, settings("old", 1), no_prefixes(1)); }), HasSubstr("another configuration"));
}

}  // namespace
}  // namespace firn
