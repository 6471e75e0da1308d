#include "firn/study/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "firn/study/circuit_source.h"
#include "firn/study/session.h"
#include "firn/study/start.h"
#include "tests/support/expect_error.h"
#include "tests/support/run_folders.h"
#include "tests/support/small_config.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

const ResultPair* result_named(const RunComparison& comparison, const std::string& name) {
  const auto found = std::ranges::find(comparison.results, name, &ResultPair::name);
  return found == comparison.results.end() ? nullptr : &*found;
}

TEST(CompareTest, RunsThatDifferInLengthAndDataAreComparedByValue) {
  const TemporaryFolder folder;
  write_run_folder(folder / "a", "# a comment\nname = \"a\"\n[train]\nsteps = 20\nbatch = 128\n");
  write_run_folder(folder / "b", "name = 'a'\n[data]\nsource = \"mnist\"\n[train]\nsteps = 40\n");
  write_file(folder / "b/metrics.jsonl", metrics_line(40, 0.75, 0.625, 0) + "{\"step\":50,\"unfin");
  const RunComparison comparison = compare(folder / "a", folder / "b/result.json");
  std::vector<std::string> keys;
  for (const ConfigDifference& d : comparison.config) keys.push_back(d.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"data.source", "train.steps"}));  // 128 is the default of train.batch
  EXPECT_EQ(comparison.config[1].first, "20");
  EXPECT_EQ(comparison.config[1].second, "40");
  const ResultPair* accuracy = result_named(comparison, "validation.discrete.accuracy");
  ASSERT_NE(accuracy, nullptr);
  EXPECT_EQ(accuracy->first, 0.5);
  EXPECT_EQ(accuracy->second, 0.625);
  ASSERT_NE(result_named(comparison, "test.last.discrete_accuracy"), nullptr);
  EXPECT_NE(result_named(comparison, "validation.layers.conv1.entropy"), nullptr);
  EXPECT_EQ(result_named(comparison, "test.seed"), nullptr);
}

TEST(CompareTest, ALineThatNestsWithoutEndIsNoEvaluation) {
  const TemporaryFolder folder;
  write_run_folder(folder / "a", "name = \"a\"\n");
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  write_file(folder / "a/metrics.jsonl", metrics_line(10, 0.5, 0.25, 0) + "{\"step\":20,\"a\":" + deep + "}\n");
  const RunComparison comparison = compare(folder / "a", folder / "a");
  const ResultPair* step = result_named(comparison, "validation.step");
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(step->first, 10);
}

TEST(CompareTest, AResultMustBeThereAndAModelIsNoText) {
  const TemporaryFolder folder;
  write_run_folder(folder / "a", "name = 'a'\n");
  std::filesystem::remove(folder / "a/result.json");
  EXPECT_THAT(error_of([&] { compare(folder / "a", folder / "a/result.json"); }), HasSubstr("does not exist"));
  write_file(folder / "train.csv", "width,height\n1,2\n");
  EXPECT_THAT(error_of([&] { compare(folder / "train.csv", folder / "a"); }), HasSubstr("train.csv is a text file"));
}

TEST(CompareTest, CheckpointsAndModelsBringWhatTheyHave) {
  const TemporaryFolder folder;
  Threads threads(1);
  Config config = small_config("final-argmax", 0);
  config.train.keep_at = {20, 30};  // evaluated at 20, 40 and 60
  const RunFolder run(folder / "run");
  const auto started = start_run(config, run, {}, threads);
  started->train(run, {.on_step = [](std::uint64_t, double, std::optional<double>) {}, .on_metrics = [](auto&) {}});
  const RunComparison steps = compare(run.kept(20), run.last());
  EXPECT_TRUE(steps.config.empty());
  EXPECT_EQ(result_named(steps, "validation.step")->first, 20);
  EXPECT_EQ(result_named(steps, "validation.step")->second, 60);
  EXPECT_TRUE(result_named(steps, "validation.relaxed.loss")->first.has_value());
  const RunComparison without = compare(run.kept(30), run.path());
  EXPECT_EQ(result_named(without, "validation.step")->first, 30);
  EXPECT_FALSE(result_named(without, "validation.relaxed.loss")->first.has_value());
  write_model(folder / "a.firn", harden_checkpoint(Checkpoint::read(run.last())));
  const RunComparison model = compare(folder / "a.firn", run.last());
  EXPECT_TRUE(model.config.empty());
  EXPECT_EQ(result_named(model, "circuit.unrolled")->first, 192);
}

TEST(CompareTest, WhatIsNoRunGetsASentence) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { compare(folder.path(), folder.path()); }), HasSubstr("is not the folder of a run"));
  EXPECT_THAT(error_of([&] { compare(folder / "none.safetensors", folder.path()); }), HasSubstr("none.safetensors"));
  write_run_folder(folder / "a", "");
  write_file(folder / "a/result.json", "[1");
  EXPECT_THAT(error_of([&] { compare(folder / "a", folder / "a"); }), HasSubstr("result.json is damaged"));
}

}  // namespace
}  // namespace firn
