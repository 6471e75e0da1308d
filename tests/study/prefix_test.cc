#include "firn/study/prefix.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

SweepRun run(std::string strategy, std::uint64_t start, std::uint64_t seed) {
  Config config;
  config.seed = seed;
  config.train.steps = 100;
  config.train.keep_at = {5};
  config.freeze.strategy = std::move(strategy);
  config.freeze.start = start;
  return {"run", config};
}

TEST(PrefixTest, RunsThatDifferOnlyAfterTheStartShareOneBeginning) {
  std::vector<SweepRun> runs = {run("task", 20, 1), run("global", 40, 1), run("cage", 20, 1), run("task", 20, 2)};
  runs[1].config.resample.after_start = "stop";
  const PrefixPlan plan = plan_prefixes(runs);
  ASSERT_EQ(plan.prefixes.size(), 1u);
  EXPECT_EQ(plan.prefixes[0].forks, (std::vector<std::uint64_t>{19, 39}));
  EXPECT_EQ(plan.forks[0]->step, 19u);
  EXPECT_EQ(plan.forks[1]->step, 39u);
  EXPECT_EQ(plan.forks[2]->step, 19u);
  EXPECT_FALSE(plan.forks[3]) << "nobody to share with";
  const Config& prefix = plan.prefixes[0].run.config;
  EXPECT_EQ(prefix.freeze.strategy, "final-argmax");
  EXPECT_EQ(prefix.train.keep_at, (std::vector<std::uint64_t>{5, 19, 39}))
      << "what runs keep before they leave is kept for them";
  EXPECT_GT(prefix.freeze.start, 39u) << "no step of a prefix may become the best";
}

TEST(PrefixTest, NothingIsSharedWithoutStepsBeforeTheStart) {
  const std::vector<SweepRun> runs = {run("task", 0, 1), run("global", 1, 1), run("cage", 101, 1)};
  const PrefixPlan plan = plan_prefixes(runs);
  EXPECT_TRUE(plan.prefixes.empty());
  for (const auto& fork : plan.forks) EXPECT_FALSE(fork);
}

TEST(PrefixTest, NamesFollowTheValuesThatAreNotDefaults) {
  std::vector<SweepRun> runs = {run("task", 20, 1), run("global", 20, 1), run("task", 20, 2), run("cage", 20, 2)};
  const PrefixPlan plan = plan_prefixes(runs);
  ASSERT_EQ(plan.prefixes.size(), 2u);
  EXPECT_NE(plan.prefixes[0].run.name, plan.prefixes[1].run.name);
  Parts more = standard_parts();  // what a configuration could say does not matter, only what it says
  more.strategies.push_back({"another", "", make_global});
  for (SweepRun& r : runs) r.config.parts = &more;
  EXPECT_EQ(plan_prefixes(runs).prefixes[0].run.name, plan.prefixes[0].run.name);
}

}  // namespace
}  // namespace firn
