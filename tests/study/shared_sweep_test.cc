#include "firn/study/shared_sweep.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "firn/base/file.h"
#include "firn/base/sealed_json.h"
#include "firn/study/sweep_status.h"
#include "firn/study/sweep_tables.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_config.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<SweepRun> four_runs() {
  std::vector<SweepRun> runs;
  for (const char* strategy : {"final-argmax", "task"})
    for (std::uint64_t start : {15u, 30u})
      runs.push_back({fmt::format("{}-{}", strategy, start), small_config(strategy, start)});
  return runs;
}

class SharedSweepTest : public ::testing::Test {
 protected:
  SweepSettings settings(const std::string& name, int jobs = 1) const { return {folder_ / name, "", jobs, 1}; }
  SharedSweep shared(const std::vector<SweepRun>& runs, int jobs = 1, SharingSettings sharing = {}) const {
    return {runs, settings("shared", jobs), plan_prefixes(runs), sharing};
  }

  TemporaryFolder folder_;
};

TEST_F(SharedSweepTest, TablesAreSharedWhileOthersTidyUp) {
  const fs::path sweep = folder_ / "shared";
  const std::jthread other([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) remove_workers_never_heard(sweep);
  });
  for (int i = 0; i < 200; ++i) {
    share_sweep_tables(SweepFile(), {}, sweep, "w");
    ASSERT_TRUE(fs::exists(sweep / "runs.csv"));
  }
  EXPECT_TRUE(fs::is_empty(sweep / "workers"));
}

TEST_F(SharedSweepTest, EveryStartRemovesTemporariesOfDeadProcesses) {
  std::vector<SweepRun> runs = four_runs();
  runs.resize(1);
  ASSERT_TRUE(shared(runs).run({}));
  const fs::path sweep = folder_ / "shared", run = sweep / "runs" / runs[0].name;
  const std::vector<fs::path> files = {sweep / ".runs.csv.0.tmp", run / ".last.safetensors.0.tmp"};
  const auto leave = [&] {
    for (const fs::path& file : files) write_file(file, "half");
  };
  const auto are_gone = [&] {
    return std::ranges::none_of(files, [](const fs::path& file) { return fs::exists(file); });
  };
  leave();
  AtomicFile living(run / "result.json");
  ASSERT_TRUE(fs::exists(run / ".result.json.0.tmp"));
  ASSERT_TRUE(shared(runs).run({}));
  EXPECT_TRUE(are_gone());
  EXPECT_TRUE(fs::exists(run / ".result.json.0.tmp")) << "somebody is writing it";
  leave();
  ASSERT_TRUE(Sweep(runs, settings("shared"), plan_prefixes(runs)).run({}));
  EXPECT_TRUE(are_gone());
}

TEST_F(SharedSweepTest, AnyNumberOfWorkersGiveTheBytesOfASweepWithoutThem) {
  const auto runs = four_runs();
  Sweep alone(runs, settings("alone"), plan_prefixes(runs));
  ASSERT_TRUE(alone.run({}));
  fs::create_directories(worker_folder(folder_ / "shared", "killed"));
  write_file(worker_folder(folder_ / "shared", "killed") / "heartbeat", "");  // just before it was written
  std::atomic<int> results = 0;
  {
    std::vector<std::jthread> processes;
    for (int p = 0; p < 2; ++p)
      processes.emplace_back([&] {
        SweepObserver observer;
        observer.on_result = [&](const SweepRun&, const TestResult&) { ++results; };
        EXPECT_TRUE(shared(runs, 2).run(observer));
      });
  }
  EXPECT_EQ(results, 4) << "every run was counted once";
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const char* file : {"last.safetensors", "best.safetensors", "freezes.csv", "result.json"})
      EXPECT_EQ(read_text(folder_ / "shared/runs" / runs[r].name / file), read_text(alone.run_path(r) / file));
  EXPECT_TRUE(fs::is_empty(folder_ / "shared/workers"));
  EXPECT_TRUE(fs::is_empty(folder_ / "shared/attempts/runs"));
}

TEST_F(SharedSweepTest, WhatFailsIsRetriedThenGivenUpAndTriedAgainWhenFailuresAreForgotten) {
  auto runs = four_runs();
  runs.resize(2);
  runs[0].config.freeze.scope = {"conv7"};
  const auto tries = [&](SharingSettings sharing) {
    SharedSweep sweep = shared(runs, 1, sharing);
    std::size_t failures = 0;
    SweepObserver observer;
    observer.on_failure = [&](const SweepRun& run, const std::string& error) {
      EXPECT_EQ(run.name, runs[0].name);
      EXPECT_THAT(error, HasSubstr("conv7"));
      ++failures;
    };
    EXPECT_FALSE(sweep.run(observer));
    EXPECT_EQ(sweep.failures().size(), 1u);
    return failures;
  };
  EXPECT_EQ(tries({.retries = 2}), 3u);
  EXPECT_EQ(tries({.retries = 2}), 0u) << "it was given up";
  EXPECT_EQ(tries({.retries = 3}), 1u);
  EXPECT_EQ(tries({.retries = 0, .forget_failures = true}), 1u);

  WorkerWatch watch(folder_ / "shared");
  const SweepStatus status = sweep_status(shared(runs).board(), watch, 0);
  EXPECT_EQ(status.count(TaskState::kGivenUp, false), 1u);
  EXPECT_EQ(status.count(TaskState::kDone, false), 1u);
  EXPECT_EQ(status.steps_left, 0u);
  EXPECT_FALSE(status.seconds_left);
}

TEST_F(SharedSweepTest, AMachineThatTrainsOtherBitsIsRefusedWithTheReason) {
  auto runs = four_runs();
  runs.resize(1);
  ASSERT_TRUE(shared(runs).run({}));
  fs::remove_all(folder_ / "shared/runs");
  const fs::path file = fs::directory_iterator(folder_ / "shared/samples")->path() / "sample.json";
  const std::string sound = read_text(file);
  const auto refusal = [&](const char* key) {
    nlohmann::json sample = open_sealed_json(sound, "", "");
    sample[key] = "other";
    write_file(file, seal_json(sample, "firn sample of training"));
    const std::string error = error_of([&] { shared(runs).run({}); });
    EXPECT_FALSE(fs::exists(folder_ / "shared/runs"));
    EXPECT_TRUE(fs::is_empty(folder_ / "shared/workers"));
    return error;
  };
  EXPECT_THAT(refusal("simd"), AllOf(HasSubstr("they with other"), HasSubstr("choose one SIMD target for all")));
  EXPECT_THAT(refusal("train"), HasSubstr("the training examples of final-argmax-15 are not the same"));
  EXPECT_THAT(refusal("test"), HasSubstr("the test examples of final-argmax-15 are not the same"));
  EXPECT_THAT(refusal("digest"), HasSubstr("use the same version of Firn and its libraries"));
  write_file(file, sound);
  EXPECT_TRUE(shared(runs).run({}));
}

TEST_F(SharedSweepTest, ACancelledWorkerLeavesItsTaskToTheNextOne) {
  auto runs = four_runs();
  runs.resize(1);
  std::uint64_t steps = 0;
  SweepObserver observer;
  observer.on_step = [&](std::uint64_t done) { steps = done; };
  observer.cancelled = [&] { return steps >= 20; };
  EXPECT_FALSE(shared(runs).run(observer));
  std::vector<std::uint64_t> attempts;
  SharingObserver sharing;
  sharing.on_start = [&](const TaskStart& start) { attempts.push_back(start.attempt); };
  EXPECT_TRUE(shared(runs, 1, {.silence = 3600}).run({}, sharing));
  EXPECT_THAT(attempts, ElementsAre(2));
}

TEST_F(SharedSweepTest, AnAttemptOfAnotherConfigurationIsNotGoneOnWith) {
  auto runs = four_runs();
  runs.resize(1);
  std::uint64_t steps = 0;
  SweepObserver observer;
  observer.on_step = [&](std::uint64_t done) { steps = done; };
  observer.cancelled = [&] { return steps >= 20; };
  EXPECT_FALSE(shared(runs).run(observer));
  runs[0].config.train.optimizer.learning_rate = 0.25;
  std::string error;
  SweepObserver listening;
  listening.on_failure = [&](const SweepRun&, const std::string& why) { error = why; };
  EXPECT_FALSE(shared(runs, 1, {.retries = 0}).run(listening));
  EXPECT_THAT(error, HasSubstr("another configuration: train.learning_rate"));
}

}  // namespace
}  // namespace firn
