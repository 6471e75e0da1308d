#include "firn/study/sweep.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "firn/base/file.h"
#include "firn/base/random.h"
#include "firn/study/config_values.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_config.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

std::vector<SweepRun> six_strategies() {
  std::vector<SweepRun> runs;
  for (const char* strategy : {"final-argmax", "global", "task", "entropy", "layer-entropy", "cage"})
    for (std::uint64_t start : {15u, 30u})
      runs.push_back({fmt::format("{}-{}", strategy, start), small_config(strategy, start)});
  return runs;
}

// Only hears what must not happen.
SweepObserver deaf() {
  SweepObserver observer;
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
  auto runs = six_strategies();
  for (SweepRun& run : runs) run.config.train.keep_at = {5, 14, 20, 40};  // before, at and after forks
  Sweep separate(runs, settings("separate", 1), no_prefixes(runs.size()));
  Sweep shared(runs, settings("shared", 2), plan_prefixes(runs));
  ASSERT_TRUE(separate.run(deaf()));
  ASSERT_TRUE(shared.run(deaf()));
  EXPECT_LT(shared.total_steps(), separate.total_steps());
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const char* file : {"last.safetensors", "best.safetensors", "freezes.csv", "result.json", "step-5.safetensors",
                             "step-14.safetensors", "step-20.safetensors", "step-40.safetensors"})
      EXPECT_EQ(read_text(separate.run_path(r) / file), read_text(shared.run_path(r) / file)) << runs[r].name << file;
  EXPECT_GT(separate.results()[2]->last.frozen, 0) << "a strategy acted, so that the comparison means something";
}

TEST_F(SweepTest, APrefixThatHasLostACheckpointIsTrainedPastItAgain) {
  const auto runs = six_strategies();
  const PrefixPlan plan = plan_prefixes(runs);
  Sweep whole(runs, settings("whole", 1), plan);
  ASSERT_TRUE(whole.run(deaf()));
  Sweep damaged(runs, settings("damaged", 1), plan);
  ASSERT_TRUE(damaged.run(deaf()));
  for (std::size_t r = 0; r < runs.size(); ++r) std::filesystem::remove_all(damaged.run_path(r));
  std::filesystem::remove(folder_ / "damaged/prefixes" / plan.prefixes[0].run.name / "step-14.safetensors");

  Sweep again(runs, settings("damaged", 1), plan);
  ASSERT_TRUE(again.run(deaf()));
  for (std::size_t r = 0; r < runs.size(); ++r)
    EXPECT_EQ(read_text(whole.run_path(r) / "last.safetensors"), read_text(again.run_path(r) / "last.safetensors"))
        << runs[r].name;
}

TEST_F(SweepTest, AForkThatHasNothingButEarlyCheckpointsBeginsAtTheForkAgain) {
  std::vector<SweepRun> runs = six_strategies();
  for (SweepRun& run : runs) run.config.train.keep_at = {5};
  Sweep sweep(runs, settings("killed", 1), plan_prefixes(runs));
  ASSERT_TRUE(sweep.run(deaf()));
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const char* file : {"last.safetensors", "previous.safetensors", "best.safetensors", "result.json"})
      std::filesystem::remove(sweep.run_path(r) / file);
  Sweep again(runs, settings("killed", 1), plan_prefixes(runs));
  std::vector<std::uint64_t> steps;
  SweepObserver observer = deaf();
  observer.on_step = [&](std::uint64_t done) { steps.push_back(done); };
  const std::uint64_t finished = again.finished_steps();
  ASSERT_TRUE(again.run(observer));
  EXPECT_LE(steps.size(), again.total_steps() - finished + 2 * runs.size()) << "no step that the prefix has done";
}

TEST_F(SweepTest, APrefixThatKeptLessIsTrainedAgainWhereItWas) {
  std::vector<SweepRun> runs = six_strategies();
  Sweep less(runs, settings("sweep", 1), plan_prefixes(runs));
  ASSERT_TRUE(less.run(deaf()));
  for (std::size_t r = 0; r < runs.size(); ++r) {
    std::filesystem::remove_all(less.run_path(r));
    runs[r].config.train.keep_at = {5};
  }
  Sweep more(runs, settings("sweep", 1), plan_prefixes(runs));
  ASSERT_TRUE(more.run(deaf()));
  EXPECT_TRUE(std::filesystem::exists(more.run_path(0) / "step-5.safetensors"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "sweep/prefixes"), {}), 1);
}

TEST_F(SweepTest, WhatIsFinishedIsNotRepeatedAndWhatIsCancelledGoesOn) {
  const auto runs = six_strategies();
  const PrefixPlan plan = plan_prefixes(runs);
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
  runs[0].config.freeze.scope = {"conv7"};
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
  for (SweepRun& run : runs) run.config.freeze.scope = {"conv7"};
  SweepObserver observer = deaf();
  observer.on_failure = [](const SweepRun&, const std::string&) { throw std::runtime_error("deaf"); };
  Sweep sweep(runs, settings("throwing", 3), no_prefixes(runs.size()));
  EXPECT_THROW(sweep.run(observer), std::runtime_error);
}

TEST_F(SweepTest, AFolderWithRunsOfOtherConfigurationsIsRefused) {
  std::vector<SweepRun> runs = six_strategies();
  runs.resize(1);
  ASSERT_TRUE(Sweep(runs, settings("old", 1), no_prefixes(1)).run(deaf()));
  runs[0].config.train.batch = 16;
  EXPECT_THAT(error_of([&] { Sweep(runs, settings("old", 1), no_prefixes(1)); }),
              HasSubstr("another configuration: train.batch is 32 there and 16 here"));
}

TEST_F(SweepTest, RunsOnChangedDataAreNotPutBesideFinishedOnes) {
  const auto write_data = [&](const char* file, int offset) {
    std::string text = "a,b,label\n";
    for (int i = 0; i < 60; ++i) text += fmt::format("{},{},{}\n", i % 7 + offset, i % 5, i % 2);
    write_file(folder_ / file, text);
  };
  write_data("train.csv", 0);
  write_data("test.csv", 0);
  std::vector<SweepRun> runs = six_strategies();
  runs.resize(2);
  for (SweepRun& run : runs) {
    run.config.data = {.source = "csv",
                       .file = (folder_ / "train.csv").string(),
                       .test_file = (folder_ / "test.csv").string(),
                       .validation = run.name == runs[0].name ? 10u : 12u};
    run.config.encode.encoding = "distributive";
  }
  Sweep sweep(runs, settings("data", 1), no_prefixes(2));
  ASSERT_TRUE(sweep.run(deaf()));
  std::filesystem::remove_all(sweep.run_path(1));
  SweepObserver observer = deaf();
  std::string error;
  observer.on_failure = [&](const SweepRun&, const std::string& text) { error = text; };
  for (const std::string& part : {std::string("train"), std::string("test")}) {
    write_data((part + ".csv").c_str(), 1);
    EXPECT_FALSE(Sweep(runs, settings("data", 1), no_prefixes(2)).run(observer));
    EXPECT_THAT(error, HasSubstr(fmt::format("the {} examples have changed since {} was trained",
                                             part == "train" ? "training" : "test", sweep.run_path(0).string())));
    write_data((part + ".csv").c_str(), 0);
  }
  EXPECT_TRUE(Sweep(runs, settings("data", 1), no_prefixes(2)).run(deaf()));
}

TEST_F(SweepTest, RunsWithAnotherTeacherAreNotPutBesideFinishedOnes) {
  std::vector<SweepRun> runs = six_strategies();
  runs.resize(1);
  Sweep teachers(runs, settings("teachers", 1), no_prefixes(1));
  ASSERT_TRUE(teachers.run(deaf()));
  const RunFolder teacher(teachers.run_path(0));
  runs = six_strategies();
  runs.resize(3);
  const std::string file = (folder_ / "t.safetensors").string(), other = (folder_ / "u.safetensors").string();
  for (const std::string& name : {file, other}) std::filesystem::copy_file(teacher.last(), name);
  for (SweepRun& run : runs) run.config.train.teacher.file = run.name == runs[2].name ? other : file;
  Sweep sweep(runs, settings("taught", 1), no_prefixes(3));
  ASSERT_TRUE(sweep.run(deaf()));
  const auto replace = [&](const std::string& name) {
    std::filesystem::copy_file(RunFolder(sweep.run_path(0)).last(), name,
                               std::filesystem::copy_options::overwrite_existing);
  };
  replace(other);  // of the third run alone
  std::filesystem::remove_all(sweep.run_path(2));
  EXPECT_TRUE(Sweep(runs, settings("taught", 1), no_prefixes(3)).run(deaf()));
  replace(file);
  std::filesystem::remove_all(sweep.run_path(1));
  SweepObserver observer = deaf();
  std::string error;
  observer.on_failure = [&](const SweepRun&, const std::string& text) { error = text; };
  EXPECT_FALSE(Sweep(runs, settings("taught", 1), no_prefixes(3)).run(observer));
  EXPECT_THAT(error, HasSubstr(fmt::format("the contents of the teacher's file have changed since {} was trained",
                                           sweep.run_path(0).string())));
}

TEST_F(SweepTest, CommentsAndOrderDoNotMakeAFolderForeign) {
  std::vector<SweepRun> runs = six_strategies();
  runs.resize(1);
  const Sweep sweep(runs, settings("old", 1), no_prefixes(1));
  std::filesystem::create_directories(sweep.run_path(0));
  std::string text = "# by hand\n";
  for (const KeyValue& v : values_of(runs[0].config))
    if (v.key != "freeze.task.score") text += fmt::format("{} = {}\n", v.key, v.value);  // one left at its default
  write_file(sweep.run_path(0) / "config.toml", text);
  EXPECT_NO_THROW(Sweep(runs, settings("old", 1), no_prefixes(1)));
  write_file(sweep.run_path(0) / "config.toml", "freeze.strategy = \"forgotten\"\n" + text.substr(0, 10));
  EXPECT_THAT(error_of([&] { Sweep(runs, settings("old", 1), no_prefixes(1)); }),
              HasSubstr("freeze.strategy is \"forgotten\" there and \"final-argmax\" here"));
}

// Until version 0.1 a prefix was named by a hash of the text of its configuration, comments included.
TEST_F(SweepTest, APrefixIsFoundByItsValuesWhateverItsFolderIsCalled) {
  const auto runs = six_strategies();
  const PrefixPlan plan = plan_prefixes(runs);
  Sweep first(runs, settings("sweep", 1), plan);
  ASSERT_TRUE(first.run(deaf()));
  const auto prefixes = folder_ / "sweep/prefixes";
  const std::string text = "# an older remark\n" + read_text(prefixes / plan.prefixes[0].run.name / "config.toml");
  const auto old_name = prefixes / fmt::format("{:016x}", stream_id(text));
  std::filesystem::rename(prefixes / plan.prefixes[0].run.name, old_name);
  write_file(old_name / "config.toml", text);
  const std::string before = read_text(first.run_path(3) / "last.safetensors");
  std::filesystem::remove_all(folder_ / "sweep/runs");

  Sweep second(runs, settings("sweep", 1), plan);
  EXPECT_EQ(second.finished_steps(), plan.prefixes[0].forks.back()) << "the prefix need not be trained again";
  ASSERT_TRUE(second.run(deaf()));
  EXPECT_EQ(read_text(second.run_path(3) / "last.safetensors"), before);
  EXPECT_FALSE(std::filesystem::exists(prefixes / plan.prefixes[0].run.name));
}

TEST_F(SweepTest, AnUnfinishedPrefixUnderAnOldNameGoesOn) {
  const auto runs = six_strategies();
  const PrefixPlan plan = plan_prefixes(runs);
  const auto prefixes = folder_ / "sweep/prefixes";
  {
    SweepObserver observer = deaf();
    std::uint64_t steps = 0;
    observer.on_step = [&](std::uint64_t done) { steps = done; };
    observer.cancelled = [&] { return steps >= 20; };
    EXPECT_FALSE(Sweep(runs, settings("sweep", 1), plan).run(observer));
  }
  std::filesystem::rename(prefixes / plan.prefixes[0].run.name, prefixes / "0123456789abcdef");
  Sweep rest(runs, settings("sweep", 1), plan);
  std::uint64_t least = ~std::uint64_t{0};
  SweepObserver observer = deaf();
  observer.on_step = [&](std::uint64_t done) { least = std::min(least, done); };
  ASSERT_TRUE(rest.run(observer));
  EXPECT_EQ(least, 20u);
  EXPECT_FALSE(std::filesystem::exists(prefixes / plan.prefixes[0].run.name));
}

TEST_F(SweepTest, AskingMakesNothing) {
  const auto runs = six_strategies();
  const Sweep sweep(runs, settings("new", 1), plan_prefixes(runs));
  EXPECT_GT(sweep.total_steps(), sweep.finished_steps());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
}

TEST_F(SweepTest, NobodyNeedsToListen) {
  std::vector<SweepRun> runs = six_strategies();
  runs.resize(2);
  runs[0].config.freeze.scope = {"conv7"};
  Sweep sweep(runs, settings("quiet", 1), no_prefixes(runs.size()));
  EXPECT_FALSE(sweep.run({}));
  EXPECT_TRUE(sweep.results()[1]);
}

TEST_F(SweepTest, CallsNeverOverlap) {
  std::vector<SweepRun> runs = six_strategies();
  runs.resize(4);
  std::atomic<int> inside = 0;
  bool overlapped = false;
  const auto visit = [&] {
    overlapped = ++inside > 1 || overlapped;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --inside;
  };
  SweepObserver observer = deaf();
  observer.on_step = [&](std::uint64_t) { visit(); };
  observer.on_result = [&](const SweepRun&, const TestResult&) { visit(); };
  observer.cancelled = [&] {
    visit();
    return false;
  };
  EXPECT_TRUE(Sweep(runs, settings("crowd", 4), no_prefixes(runs.size())).run(observer));
  EXPECT_FALSE(overlapped);
}

}  // namespace
}  // namespace firn
