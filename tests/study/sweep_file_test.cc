#include "firn/study/sweep_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SweepFileTest : public ::testing::Test {
 protected:
  SweepFileTest() { write_file(folder_ / "base.toml", "seed = 7\n[train]\nsteps = 100\n"); }

  SweepFile load(const std::string& text) {
    write_file(folder_ / "sweep.toml", "base = \"base.toml\"\n" + text);
    return load_sweep(folder_ / "sweep.toml");
  }
  std::string complaint(const std::string& text) {
    return error_of([&] { load(text); });
  }

  TemporaryFolder folder_;
};

TEST_F(SweepFileTest, EveryCombinationIsARunInTheOrderOfTheFile) {
  const SweepFile sweep =
      load("[set]\ntrain.batch = 16\n[grid]\nseed = [2, 1]\nfreeze.strategy = [\"task\", \"cage\"]\n");
  EXPECT_EQ(sweep.name, "sweep");
  ASSERT_EQ(sweep.runs.size(), 4u);
  EXPECT_EQ(sweep.runs[0].name, "seed=2,strategy=task");
  EXPECT_EQ(sweep.runs[1].name, "seed=2,strategy=cage");
  EXPECT_EQ(sweep.runs[3].config.seed, 1u);
  EXPECT_EQ(sweep.runs[3].config.freeze.strategy, "cage");
  EXPECT_EQ(sweep.runs[3].config.train.batch, 16u);
  EXPECT_EQ(sweep.runs[3].config.train.steps, 100u);
  EXPECT_THAT(sweep.points[2].values, ElementsAre(1, 0));
}

TEST_F(SweepFileTest, RunsWithoutAStrategyAreMadeOnceForAllStarts) {
  const SweepFile sweep = load(
      "[grid]\nfreeze.strategy = [\"final-argmax\", \"task\"]\nfreeze.start = [10, 20]\n"
      "resample.after_start = [\"continue\", \"stop\"]\n");
  EXPECT_EQ(sweep.points.size(), 8u);
  EXPECT_EQ(sweep.runs.size(), 5u);
  EXPECT_EQ(sweep.runs[0].name, "strategy=final-argmax");
  EXPECT_EQ(sweep.runs[0].config.freeze.start, 20u);
  for (std::size_t p = 0; p < 4; ++p) EXPECT_EQ(sweep.points[p].run, 0u);
}

TEST_F(SweepFileTest, VariantsSetSeveralKeysTogether) {
  const SweepFile sweep =
      load("[variants.wide]\nmodel.width = 64\ntrain.steps = 50\n[variants.deep]\nmodel.layers = 5\n");
  EXPECT_THAT(sweep.axes[0].values, ElementsAre("wide", "deep"));
  ASSERT_EQ(sweep.runs.size(), 2u);
  EXPECT_EQ(sweep.runs[0].config.train.steps, 50u);
  EXPECT_EQ(sweep.runs[1].config.model.layers, 5u);
}

TEST_F(SweepFileTest, KeysThatTakeListsAreSweptByListsOfLists) {
  const SweepFile sweep = load("[grid]\nfreeze.scope = [[\"conv\"], [\"fc1\", \"fc2\"]]\n");
  EXPECT_THAT(sweep.runs[1].config.freeze.scope, ElementsAre("fc1", "fc2"));
}

TEST_F(SweepFileTest, LongNamesThatAreCutAlikeAreNumbered) {
  const std::string long_name(250, 'x');
  std::string values;
  for (int i = 0; i < 2000; ++i) values += fmt::format("\"{}{}\", ", long_name, i);
  const SweepFile sweep = load("[grid]\nname = [" + values + "]\n");
  ASSERT_EQ(sweep.runs.size(), 2000u);
  const std::string name = ("name=" + long_name).substr(0, 200);
  EXPECT_EQ(sweep.runs[0].name, name);
  EXPECT_EQ(sweep.runs[1].name, name + ",2");
  EXPECT_EQ(sweep.runs[1999].name, name + ",2000");
}

TEST_F(SweepFileTest, ABaseThatIsTooLongForAFileIsNotThere) {
  write_file(folder_ / "sweep.toml", "base = \"" + std::string(300, 'x') + "\"\n");
  EXPECT_THAT(error_of([&] { load_sweep(folder_ / "sweep.toml"); }), HasSubstr("no preset of that name"));
}

TEST_F(SweepFileTest, MistakesAreNamedWithTheirPlace) {
  EXPECT_THAT(complaint("[grid]\nseed = 3\n"), HasSubstr("sweep.toml:3:8: grid.seed must be a list"));
  EXPECT_THAT(complaint("[grid]\nseed = [\"x\"]\n"), HasSubstr("sweep.toml:3:9: seed must be"));
  EXPECT_THAT(complaint("[set]\nsed = 3\n"), HasSubstr("unknown key sed"));
  EXPECT_THAT(complaint("[gird]\nseed = [3]\n"), HasSubstr("unknown key gird"));
  EXPECT_THAT(complaint("[variants]\na = 1\n"), HasSubstr("variants.a must be a table"));
  write_file(folder_ / "none.toml", "[grid]\nseed = [1]\n");
  EXPECT_THAT(error_of([&] { load_sweep(folder_ / "none.toml"); }), HasSubstr("base is missing"));
}

}  // namespace
}  // namespace firn
