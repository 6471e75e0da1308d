#include "firn/report/read_sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_folders.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::ElementsAre;

TEST(ReadSweep, PointsFindTheirRuns) {
  const TemporaryFolder folder;
  for (const char* name : {"strategy=task,seed=1", "strategy=final-argmax,seed=1"})
    write_run_folder(folder / ("runs/" + std::string(name)), "seed = 1\n");
  write_file(folder / "runs.csv",
             "freeze.strategy,freeze.start,seed,run,step\nfinal-argmax,10,1,\"strategy=final-argmax,seed=1\",20\n"
             "final-argmax,20,1,\"strategy=final-argmax,seed=1\",20\ntask,10,1,\"strategy=task,seed=1\",20\n"
             "task,10,2,removed,20\n");
  const auto runs = sweep_runs(folder.path());
  ASSERT_EQ(runs.size(), 2u);
  const SweepRecord sweep = read_sweep(folder.path(), runs, 5);
  EXPECT_THAT(sweep.axes, ElementsAre("freeze.strategy", "freeze.start", "seed"));
  EXPECT_THAT(sweep.runs, ElementsAre(5, 6));
  ASSERT_EQ(sweep.points.size(), 3u);
  EXPECT_EQ(sweep.points[0].run, 5u);
  EXPECT_EQ(sweep.points[1].run, 5u);
  EXPECT_THAT(sweep.points[1].values, ElementsAre("final-argmax", "20", "1"));
  EXPECT_EQ(sweep.points[2].run, 6u);
}

TEST(ReadSweep, NamesThatPointElsewhereAreNoRuns) {
  const TemporaryFolder folder;
  write_run_folder(folder / "outside", "seed = 1\n");
  write_run_folder(folder / "sweep/runs/a", "seed = 1\n");
  write_file(folder / "sweep/runs.csv", "seed,run\n1,../../outside\n2,/etc\n3,a\n");
  const SweepRecord sweep = read_sweep(folder / "sweep", sweep_runs(folder / "sweep"), 0);
  ASSERT_EQ(sweep.points.size(), 1u);
  EXPECT_THAT(sweep.points[0].values, ElementsAre("3"));
}

TEST(ReadSweep, WhatWorkersTrainIsSeenUnderTheNamesOfTheRuns) {
  const TemporaryFolder folder;
  write_run_folder(folder / "runs/c", "seed = 3\n");
  write_file(folder / "runs/c/result.json", "{}");
  for (const char* name : {"a.1", "a.10", "a.9", "b=0.5.2", "c.1"})
    write_run_folder(folder / ("attempts/runs/" + std::string(name)), "seed = 1\n");
  const auto runs = sweep_runs(folder.path());
  EXPECT_THAT(runs, ElementsAre(folder / "attempts/runs/a.10", folder / "attempts/runs/b=0.5.2", folder / "runs/c"));
  EXPECT_EQ(run_name(runs[0]), "a");
  EXPECT_EQ(run_name(runs[1]), "b=0.5");
  EXPECT_EQ(run_name(runs[2]), "c");
}

TEST(ReadSweep, AnAttemptWithoutANumberIsTheOldest) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "a.1"}) write_run_folder(folder / ("attempts/runs/" + std::string(name)), "seed = 1\n");
  EXPECT_THAT(sweep_runs(folder.path()), ElementsAre(folder / "attempts/runs/a.1"));
}

TEST(ReadSweep, ASweepThatGoesOnHasRunsAndNoGrid) {
  const TemporaryFolder folder;
  write_run_folder(folder / "runs/a", "seed = 1\n");
  const SweepRecord sweep = read_sweep(folder.path(), sweep_runs(folder.path()), 0);
  EXPECT_TRUE(sweep.points.empty());
  EXPECT_THAT(sweep.runs, ElementsAre(0));
}

}  // namespace
}  // namespace firn
