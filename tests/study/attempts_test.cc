#include "firn/study/attempts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "firn/base/file.h"
#include "firn/study/run.h"
#include "firn/study/sweep_board.h"
#include "firn/study/train_task.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_config.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

using study::Attempt;
using testing::HasSubstr;

class AttemptsTest : public ::testing::Test {
 protected:
  Attempts worker(const std::string& name) const { return {folder_.path(), name, folder_ / ("workers/" + name)}; }

  bool has_result() const { return fs::exists(folder_ / "runs/a.b/result.json"); }
  void finish(const Attempt& attempt, const std::string& text) const {
    write_file(attempt.folder / "result.json", text);
  }
  // Every attempt's folder that is there.
  std::size_t count() const {
    std::size_t attempts = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / "attempts/runs")) attempts += entry.is_directory();
    return attempts;
  }

  TemporaryFolder folder_;
};

TEST_F(AttemptsTest, OfManyWorkersExactlyOneBegins) {
  for (std::uint64_t round = 1; round <= 5; ++round) {
    std::optional<Attempt> before;
    if (round > 1) before = worker("x").newest().at(0);
    std::atomic<int> winners = 0;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
          const auto attempt = worker(fmt::format("w{}", t)).begin("runs/a.b", before);
          EXPECT_EQ(attempt.value_or(Attempt{.number = round}).number, round);
          winners += attempt.has_value();
        });
    }
    EXPECT_EQ(winners, 1) << round;
    EXPECT_EQ(count(), 1u) << "the attempt before is gone";
  }
}

TEST_F(AttemptsTest, WhatSomebodyElseTakesOverAndFinishesMeanwhileIsNoError) {
  for (int round = 0; round < 100; ++round) {
    fs::remove_all(folder_ / "runs");
    fs::remove_all(folder_ / "attempts");
    const fs::path earlier = folder_ / "attempts/runs/a.b.1";
    fs::create_directories(earlier);
    write_file(earlier / "last.safetensors", "");
    for (int step = 0; step < 50; ++step) std::ofstream(earlier / fmt::format("step-{}.safetensors", step));
    const Attempt before = worker("x").newest().at(0);
    const auto take_over = [&](const std::string& name) {
      Attempts attempts = worker(name);
      if (const auto attempt = attempts.begin("runs/a.b", before)) attempts.publish(*attempt, [] { return false; });
    };
    std::jthread other([&] { EXPECT_NO_THROW(take_over("w1")); });
    EXPECT_NO_THROW(take_over("w2"));
  }
}

TEST_F(AttemptsTest, AFolderThatCannotBeReadIsNotTakenForAnEmptyOne) {
  fs::create_directories(folder_ / "attempts");
  write_file(folder_ / "attempts/runs", "");
  EXPECT_THAT(error_of([&] { worker("x").newest(); }), testing::HasSubstr("cannot read"));
}

TEST_F(AttemptsTest, NumbersThatNobodyGivesAreRefused) {
  fs::create_directories(folder_ / "attempts/runs/a.b.0");
  EXPECT_TRUE(worker("x").newest().empty());
  fs::create_directories(folder_ / "attempts/runs/a.b.18446744073709551615");
  const Attempt last = worker("x").newest().at(0);
  EXPECT_EQ(last.place, "runs/a.b");
  EXPECT_THAT(error_of([&] { worker("x").begin("runs/a.b", last); }),
              HasSubstr("a.b.18446744073709551615 has the last number that an attempt can have"));
}

TEST_F(AttemptsTest, TheNewestOneCountsAndSaysWhoseItIs) {
  Attempts first = worker("first"), second = worker("second");
  const auto one = first.begin("runs/a.b", std::nullopt);
  ASSERT_TRUE(one);
  EXPECT_TRUE(first.counts(*one));
  EXPECT_EQ(second.newest().at(0).worker, "first");
  EXPECT_FALSE(second.newest().at(0).is_released);
  first.release(*one);
  EXPECT_TRUE(second.newest().at(0).is_released);
  const auto two = second.begin("runs/a.b", second.newest().at(0));
  ASSERT_TRUE(two);
  EXPECT_FALSE(first.counts(*one));
  EXPECT_TRUE(second.counts(*two));
  EXPECT_EQ(first.newest().at(0).place, "runs/a.b");
  EXPECT_EQ(first.newest().at(0).worker, "second");
}

// A worker that was stopped for longer than it may, and comes back when another one is done.
TEST_F(AttemptsTest, WhoeverPublishesFirstIsPublishedAndNothingIsPublishedTwice) {
  Attempts first = worker("first"), second = worker("second");
  const auto is_done = [this] { return has_result(); };
  const auto one = first.begin("runs/a.b", std::nullopt);
  const auto two = second.begin("runs/a.b", second.newest().at(0));
  ASSERT_TRUE(one && two);
  EXPECT_FALSE(fs::exists(one->folder));
  EXPECT_ANY_THROW(finish(*one, "first")) << "it has nowhere to write";
  EXPECT_FALSE(first.publish(*one, is_done));
  EXPECT_FALSE(has_result());
  finish(*two, "second");
  EXPECT_TRUE(second.publish(*two, is_done));
  EXPECT_FALSE(second.publish(*two, is_done));
  EXPECT_EQ(read_text(folder_ / "runs/a.b/result.json"), "second");
  EXPECT_EQ(read_text(folder_ / "runs/a.b/worker.txt"), "second");
  EXPECT_EQ(count(), 0u);
}

TEST_F(AttemptsTest, HalfOfARunInItsOwnFolderIsReplacedByTheWholeOne) {
  fs::create_directories(folder_ / "runs/a.b");
  write_file(folder_ / "runs/a.b/config.toml", "");
  Attempts own = worker("own");
  const auto attempt = own.begin("runs/a.b", std::nullopt);
  ASSERT_TRUE(attempt);
  finish(*attempt, "whole");
  EXPECT_TRUE(own.publish(*attempt, [this] { return has_result(); }));
  EXPECT_FALSE(fs::exists(folder_ / "runs/a.b/config.toml"));
  EXPECT_EQ(read_text(folder_ / "runs/a.b/result.json"), "whole");
}

TEST_F(AttemptsTest, AnAttemptGoesOnFromTheOneBeforeWithItsTables) {
  const std::vector<SweepRun> runs = {{"a.b", small_config("task", 15)}};
  const SweepBoard board(runs, {{}, {std::nullopt}}, folder_.path());
  TaskTrainer trainer(board, "", 1);
  const auto train = [&](const Attempt& attempt, std::uint64_t until) {
    std::optional<std::uint64_t> first;
    std::uint64_t last = 0;
    const bool complete = trainer.train({false, 0}, RunFolder(attempt.folder),
                                        {[&](std::uint64_t step) {
                                           if (!first) first = step;
                                           last = step;
                                         },
                                         [&] { return last >= until; }});
    EXPECT_EQ(complete, until > 60);
    return first;
  };
  Attempts one = worker("one"), two = worker("two"), alone = worker("alone");
  EXPECT_EQ(train(*one.begin("runs/a.b", std::nullopt), 30), 0u);
  const auto second = two.begin("runs/a.b", two.newest().at(0));
  ASSERT_TRUE(second);
  EXPECT_EQ(train(*second, 100), 30u);
  const auto undisturbed = alone.begin("runs/other", std::nullopt);
  train(*undisturbed, 100);
  for (const char* file : {"last.safetensors", "best.safetensors", "freezes.csv", "result.json", "config.toml"})
    EXPECT_EQ(read_text(second->folder / file), read_text(undisturbed->folder / file)) << file;
}

TEST_F(AttemptsTest, ASweepWithoutWorkersAdoptsWhatTheyHaveLeft) {
  fs::create_directories(folder_ / "runs/done");
  write_file(folder_ / "runs/done/result.json", "kept");
  Attempts own = worker("own");
  const auto half = own.begin("runs/a.b", std::nullopt), nothing = own.begin("runs/c", std::nullopt),
             late = own.begin("runs/done", std::nullopt);
  ASSERT_TRUE(half && nothing && late);
  for (const auto& attempt : {half, late}) write_file(attempt->folder / "last.safetensors", "checkpoint");
  own.release(*half);
  adopt_attempts(folder_.path(), [&](const fs::path& place) { return fs::exists(folder_ / place / "result.json"); });
  EXPECT_EQ(read_text(folder_ / "runs/a.b/last.safetensors"), "checkpoint");
  EXPECT_FALSE(fs::exists(folder_ / "runs/a.b/released"));
  EXPECT_FALSE(fs::exists(folder_ / "runs/c"));
  EXPECT_FALSE(fs::exists(folder_ / "runs/done/last.safetensors"));
  EXPECT_FALSE(fs::exists(folder_ / "attempts"));
}

}  // namespace
}  // namespace firn
