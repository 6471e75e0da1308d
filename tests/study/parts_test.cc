// A strategy that exists only here is trained, swept, forked and resumed by its name.
#include "firn/study/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/file.h"
#include "firn/study/start.h"
#include "firn/study/sweep.h"
#include "firn/study/sweep_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_config.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Freezes one neuron of the scope in every step after the start, from the first on.
class OneByOne final : public Hook {
 public:
  explicit OneByOne(const StrategyContext& context) : freezer_(context.freezer), start_(context.settings.start) {}
  std::string name() const override { return "one-by-one"; }
  void on_step(const StepView& step) override {
    if (step.step <= start_) return;
    const std::size_t group = freezer_.scope().front();
    if (next_ >= freezer_.neurons(group).count()) return;
    freezer_.freeze(step.step, group, next_++, 3, 0, 0);
  }
  void visit_state(StateVisitor& visitor) override { visitor.visit("one-by-one.next", std::span(&next_, 1)); }

 private:
  Freezer& freezer_;
  std::uint64_t start_;
  std::uint64_t next_ = 0;
};

std::unique_ptr<Hook> make_one_by_one(const StrategyContext& context) {
  return std::make_unique<OneByOne>(context);
}

class PartsTest : public ::testing::Test {
 protected:
  PartsTest() { parts_.strategies.push_back({"one-by-one", "a neuron a step", make_one_by_one}); }

  TemporaryFolder folder_;
  Parts parts_ = standard_parts();
  Threads threads_{1};
};

TEST_F(PartsTest, AStrategyOfOnesOwnIsNamedInAConfiguration) {
  const std::string text = "freeze.strategy = 'one-by-one'\n";
  EXPECT_THAT(error_of([&] { parse_config(text, "c.toml"); }), HasSubstr("freeze.strategy must be one of"));
  const Config config = parse_config(text, "c.toml", {}, parts_);
  EXPECT_EQ(config.parts, &parts_);
  EXPECT_THAT(to_toml(config), HasSubstr("refine, one-by-one"));
}

TEST_F(PartsTest, AStrategyOfOnesOwnTrainsAndIsResumed) {
  Config config = small_config("one-by-one", 20);
  config.parts = &parts_;
  const RunFolder whole(folder_ / "whole"), halved(folder_ / "halved");
  TrainObserver observer{.on_step = [](std::uint64_t, double, std::optional<double>) {}, .on_metrics = [](auto&) {}};
  const auto run = start_run(config, whole, {}, threads_);
  ASSERT_TRUE(run->train(whole, observer));
  const std::optional<TestResult> result = run->test(whole);
  EXPECT_DOUBLE_EQ(result->last.frozen, 40.0 / 128) << "forty steps, and two layers in the scope";

  bool stop = false;
  observer.on_step = [&](std::uint64_t step, double, std::optional<double>) { stop = step == 30; };
  observer.cancelled = [&] { return stop; };
  ASSERT_FALSE(start_run(config, halved, {}, threads_)->train(halved, observer));
  stop = false;
  ASSERT_TRUE(start_run(config, halved, {.resume = true}, threads_)->train(halved, observer));
  EXPECT_EQ(read_text(whole.last()), read_text(halved.last()));
}

TEST_F(PartsTest, AStrategyOfOnesOwnIsSwept) {
  write_file(folder_ / "base.toml", to_toml(small_config("final-argmax", 0)));
  write_file(folder_ / "sweep.toml",
             "base = 'base.toml'\n[grid]\nfreeze.strategy = ['one-by-one', 'global']\nfreeze.start = [20, 30]\n");
  const SweepFile file = load_sweep(folder_ / "sweep.toml", parts_);
  ASSERT_EQ(file.runs.size(), 4u);
  const PrefixPlan plan = plan_prefixes(file.runs);
  EXPECT_THAT(plan.prefixes.at(0).forks, ElementsAre(19, 29));
  Sweep sweep(file.runs, {folder_ / "out", "", 1, 1}, plan);
  SweepObserver observer;
  observer.on_failure = [](const SweepRun& run, const std::string& error) { ADD_FAILURE() << run.name << error; };
  ASSERT_TRUE(sweep.run(observer));
  EXPECT_DOUBLE_EQ(sweep.results()[0]->last.frozen, 40.0 / 128);
  EXPECT_DOUBLE_EQ(sweep.results()[1]->last.frozen, 30.0 / 128);
  EXPECT_NO_THROW(Sweep(file.runs, {folder_ / "out", "", 1, 1}, plan)) << "the folder is its own again";
}

TEST_F(PartsTest, WhatAStrategyIsStandsInItsEntry) {
  for (StrategyEntry& entry : parts_.strategies)
    if (entry.name == "one-by-one") entry.acts = false;
  write_file(folder_ / "base.toml", "train.steps = 100\n");
  write_file(folder_ / "sweep.toml",
             "base = 'base.toml'\n[grid]\nfreeze.strategy = ['one-by-one', 'global']\nfreeze.start = [20, 30]\n");
  EXPECT_EQ(load_sweep(folder_ / "sweep.toml", parts_).runs.size(), 3u) << "the start of the first means nothing";
}

TEST(StandardParts, HaveEveryStrategy) {
  EXPECT_EQ(standard_parts().strategies.size(), strategies().size() + 1) << "and refine, which needs more than a model";
  EXPECT_TRUE(standard_parts().strategy("refine").depends_on_length);
  EXPECT_FALSE(standard_parts().strategy("final-argmax").acts);
  EXPECT_TRUE(standard_parts().strategy("annealed").depends_on_length);
  EXPECT_THAT(error_of([] { standard_parts().strategy("tsak"); }),
              HasSubstr("there is no strategy \"tsak\"; choose final-argmax, global, task,"));
}

}  // namespace
}  // namespace firn
