#include "firn/study/heartbeat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

#include "firn/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

// As a worker of another machine writes it, whose clock nobody knows.
void write_beat(const fs::path& sweep, const std::string& worker, int beat, double silence) {
  const fs::path folder = worker_folder(sweep, worker);
  fs::create_directories(folder);
  write_file(folder / "heartbeat",
             "{\"beat\":" + std::to_string(beat) +
                 ",\"host\":\"far\",\"machine\":\"another\",\"process\":1,\"started\":\"1\",\"task\":\"runs/a\","
                 "\"step\":3,\"steps\":10,\"rate\":2.5,\"silence\":" +
                 std::to_string(silence) + "}\n");
}

TEST(WorkerWatch, CountsSilenceByItsOwnClockAndNoOther) {
  const TemporaryFolder folder;
  double now = 1000;
  WorkerWatch watch(folder.path(), [&] { return now; });
  for (const auto offset : {std::chrono::hours(0), std::chrono::hours(-9000), std::chrono::hours(9000)}) {
    write_beat(folder.path(), "w", 1, 10);
    fs::last_write_time(worker_folder(folder.path(), "w") / "heartbeat", fs::file_time_type::clock::now() + offset);
    watch.look();
    EXPECT_FALSE(watch.is_gone("w")) << "whatever the time of the file says";
    now += 9;
    write_beat(folder.path(), "w", 2, 10);
    fs::last_write_time(worker_folder(folder.path(), "w") / "heartbeat", fs::file_time_type::clock::now() - offset);
    watch.look();
    EXPECT_TRUE(watch.workers().at("w").was_heard);
    EXPECT_EQ(watch.workers().at("w").quiet, 0);
    now += 9.9;
    watch.look();
    EXPECT_FALSE(watch.is_gone("w"));
    now += 0.2;
    watch.look();
    EXPECT_TRUE(watch.is_gone("w"));
  }
  write_beat(folder.path(), "w", 3, 10);
  watch.look();
  EXPECT_FALSE(watch.is_gone("w")) << "it has come back";
  EXPECT_EQ(watch.workers().at("w").state.task, "runs/a");
  EXPECT_EQ(watch.workers().at("w").state.rate, 2.5);
}

TEST(WorkerWatch, WaitsForNobodyForEver) {
  const TemporaryFolder folder;
  double now = 0;
  WorkerWatch watch(folder.path(), [&] { return now; });
  write_beat(folder.path(), "w", 1, 1e300);
  watch.look();
  EXPECT_FALSE(watch.is_gone("w"));
  now = 8 * 24 * 3600;
  watch.look();
  EXPECT_TRUE(watch.is_gone("w"));
}

TEST(WorkerWatch, GivesAWorkerWithoutAFileTheUsualTime) {
  const TemporaryFolder folder;
  double now = 0;
  WorkerWatch watch(folder.path(), [&] { return now; });
  EXPECT_FALSE(watch.is_gone("nobody"));
  now = WorkerState{}.silence - 1;
  EXPECT_FALSE(watch.is_gone("nobody"));
  now = WorkerState{}.silence;
  EXPECT_TRUE(watch.is_gone("nobody"));
}

TEST(WorkerWatch, TakesWhatIsBeingWrittenForASignOfLife) {
  const TemporaryFolder folder;
  double now = 0;
  WorkerWatch watch(folder.path(), [&] { return now; });
  write_beat(folder.path(), "w", 1, 10);
  watch.look();
  now = 9;
  write_file(worker_folder(folder.path(), "w") / "heartbeat", "{\"beat\":2,\"ho");
  watch.look();
  EXPECT_FALSE(watch.is_gone("w"));
  EXPECT_EQ(watch.workers().at("w").quiet, 0);
}

TEST(Heartbeat, ShowsAWorkerUntilItLeaves) {
  const TemporaryFolder folder;
  WorkerWatch watch(folder.path());
  std::atomic<int> beats = 0;
  {
    Heartbeat heartbeat(folder.path(), {.name = "w", .silence = 0.5}, [&] { ++beats; });
    heartbeat.show("runs/a", 7, 20);
    watch.look();
    while (beats < 3) ::usleep(1000);
    watch.look();
    const WorkerWatch::Seen& seen = watch.workers().at("w");
    EXPECT_TRUE(seen.was_heard);
    EXPECT_FALSE(seen.is_gone);
    EXPECT_EQ(seen.state.task, "runs/a");
    EXPECT_EQ(seen.state.step, 7u);
    heartbeat.leave();
  }
  watch.look();
  EXPECT_TRUE(watch.workers().empty());
}

TEST(Heartbeat, ADeadProcessOfThisMachineIsGoneAtOnce) {
  const TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const Heartbeat heartbeat(folder.path(), {.name = "w", .silence = 3600}, [] {});
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  WorkerWatch watch(folder.path());
  watch.look();
  EXPECT_FALSE(watch.is_gone("w"));
  ::kill(child, SIGKILL);
  siginfo_t info;
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  watch.look();
  EXPECT_TRUE(watch.is_gone("w")) << "also while its parent has not asked for it";
  ::waitpid(child, nullptr, 0);
  watch.look();
  EXPECT_TRUE(watch.is_gone("w"));
}

TEST(Heartbeat, AShorterTextLeavesNothingOfALongerOne) {
  const TemporaryFolder folder;
  WorkerWatch watch(folder.path());
  std::atomic<int> beats = 0;
  Heartbeat heartbeat(folder.path(), {.name = "w", .silence = 0.1}, [&] { ++beats; });
  const auto beat_twice = [&] {  // the first may have begun before
    for (const int before = beats; beats < before + 2;) ::usleep(1000);
  };
  heartbeat.show("runs/" + std::string(100, 'x'), 1, 2);
  beat_twice();
  const auto size = fs::file_size(worker_folder(folder.path(), "w") / "heartbeat");
  heartbeat.show("", 0, 0);
  beat_twice();
  EXPECT_EQ(fs::file_size(worker_folder(folder.path(), "w") / "heartbeat"), size) << "nothing has to be cut off";
  watch.look();
  EXPECT_EQ(watch.workers().at("w").state.name, "w");
  EXPECT_EQ(watch.workers().at("w").state.task, "");
  heartbeat.leave();
}

TEST(Heartbeat, LeftoversOfWorkersThatNeverShowedLifeAreRemovedAndNoOthers) {
  const TemporaryFolder folder;
  fs::create_directories(worker_folder(folder.path(), "without-file"));
  fs::create_directories(worker_folder(folder.path(), "with-empty-file"));
  write_file(worker_folder(folder.path(), "with-empty-file") / "heartbeat", "");
  write_beat(folder.path(), "w", 1, 10);
  remove_workers_never_heard(folder.path());
  EXPECT_FALSE(fs::exists(worker_folder(folder.path(), "without-file")));
  EXPECT_FALSE(fs::exists(worker_folder(folder.path(), "with-empty-file")));
  EXPECT_TRUE(fs::exists(worker_folder(folder.path(), "w") / "heartbeat"));
}

TEST(Heartbeat, WhoCannotShowThatItLivesIsRefused) {
  const TemporaryFolder folder;
  write_file(folder / "workers", "a file in the way");
  EXPECT_THAT(error_of([&] { Heartbeat(folder.path(), {.name = "w"}, [] {}); }),
              testing::HasSubstr("workers/w/heartbeat"));
}

TEST(Heartbeat, NamesAreUnlike) {
  EXPECT_NE(unique_worker_name(), unique_worker_name());
}

}  // namespace
}  // namespace firn
