#include "firn/report/read_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/expect_error.h"
#include "tests/support/run_folders.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr const char* kConfig =
    "name = \"<script>\"\nseed = 3\n[freeze]\nstart = 10\ntask.half_life = 2.5\nscope = [1, 2]\n";

TEST(ReadRun, HasConfigurationCurvesAndScores) {
  const TemporaryFolder folder;
  write_run_folder(folder / "a", kConfig);
  const RunRecord run = read_run(folder / "a");
  EXPECT_EQ(run.name, "a");
  EXPECT_THAT(run.config, Contains(Pair("name", "<script>")));
  EXPECT_THAT(run.config, Contains(Pair("freeze.start", "10")));
  EXPECT_THAT(run.config, Contains(Pair("freeze.task.half_life", "2.5")));
  EXPECT_THAT(run.config, Contains(Pair("freeze.scope", "[ 1, 2 ]")));
  EXPECT_THAT(run.learning.step, ElementsAre(10, 20));
  EXPECT_THAT(run.learning.relaxed_accuracy, ElementsAre(0.5, 0.625));
  EXPECT_THAT(run.learning.discrete_loss, ElementsAre(1.75, 1.75));
  ASSERT_TRUE(run.last);
  EXPECT_EQ(run.last->discrete_accuracy, 0.5);
  EXPECT_FALSE(run.best);
}

TEST(ReadRun, FreezesAreExactBetweenEvaluations) {
  const TemporaryFolder folder;
  write_run_folder(folder / "a", kConfig);
  const FreezingCurve curve = read_run(folder / "a").freezing;
  EXPECT_THAT(curve.step, ElementsAre(0, 10, 12, 17, 20));
  EXPECT_THAT(curve.all, ElementsAre(0, 0, 0.25, 0.5, 0.5));
  ASSERT_EQ(curve.layers.size(), 2u);
  EXPECT_EQ(curve.layers[0].name, "conv1");
  EXPECT_THAT(curve.layers[0].values, ElementsAre(0, 0, 0.25, 0.5, 0.5));
  EXPECT_THAT(curve.layers[1].values, ElementsAre(0, 0, 0, 0, 0));
}

TEST(ReadRun, ARunThatGoesOnIsReadUpToItsLastWholeLine) {
  const TemporaryFolder folder;
  write_run_folder(folder / "a", kConfig);
  std::filesystem::remove(folder / "a/result.json");
  write_file(folder / "a/metrics.jsonl", metrics_line(10, 0.5, 0.25, 0) + "{\"step\":20,\"tra");
  write_file(folder / "a/freezes.csv", std::string(kFreezesHeader) + "12,conv1,0,3,3,-0.5,0.25\n12,co");
  const RunRecord run = read_run(folder / "a");
  EXPECT_THAT(run.learning.step, ElementsAre(10));
  EXPECT_FALSE(run.last);
  // How many neurons there are is known after the next evaluation only.
  EXPECT_THAT(run.freezing.all, ElementsAre(0, 0, 0));
}

TEST(ReadRun, NumbersThatAreMissingStayMissing) {
  const TemporaryFolder folder;
  write_run_folder(folder / "a", kConfig);
  write_file(folder / "a/metrics.jsonl", "{\"step\":5,\"train_loss\":null}\n");
  const RunRecord run = read_run(folder / "a");
  EXPECT_TRUE(std::isnan(run.learning.train_loss[0]));
  EXPECT_TRUE(std::isnan(run.learning.discrete_accuracy[0]));
}

TEST(ReadRun, FreezesOfNeuronsThatCannotBeAreRefused) {
  const TemporaryFolder folder;
  write_run_folder(folder / "a", kConfig);
  for (const char* neuron : {"-1", "1.8446744073709550e19", "nan", "inf"}) {
    write_file(folder / "a/freezes.csv", fmt::format("{}10,conv1,{},3,5,0.1,0.2\n", kFreezesHeader, neuron));
    EXPECT_THAT(error_of([&] { read_run(folder / "a"); }),
                HasSubstr(fmt::format("line 2: \"{}\" is not a whole number", neuron)));
  }
}

TEST(ReadRun, LongCurvesAreThinnedAndKeepTheirEnds) {
  const TemporaryFolder folder;
  write_run_folder(folder / "a", kConfig);
  std::string lines;
  for (int step = 1; step <= 5000; ++step) lines += metrics_line(step, 0.5, 0.25, 0);
  write_file(folder / "a/metrics.jsonl", lines);
  const LearningCurve curve = read_run(folder / "a").learning;
  EXPECT_EQ(curve.step.size(), 2000u);
  EXPECT_EQ(curve.step.front(), 1);
  EXPECT_EQ(curve.step.back(), 5000);
}

TEST(ReadRun, DamagedFilesAreNamed) {
  const TemporaryFolder folder;
  const auto error_with = [&](const std::string& file, const std::string& text) {
    write_run_folder(folder / "a", kConfig);
    write_file(folder / ("a/" + file), text);
    return error_of([&] { read_run(folder / "a"); });
  };
  EXPECT_THAT(error_with("config.toml", "name = \n"), HasSubstr("a/config.toml:1"));
  EXPECT_THAT(error_with("metrics.jsonl", metrics_line(1, 0, 0, 0) + "nonsense\n"), HasSubstr("metrics.jsonl, line 2"));
  EXPECT_THAT(error_with("freezes.csv", "a,b\n1,2\n"), HasSubstr("no column \"step\""));
  EXPECT_THAT(error_with("result.json", "{"), HasSubstr("result.json is damaged"));
}

}  // namespace
}  // namespace firn
