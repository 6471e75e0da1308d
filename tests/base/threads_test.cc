#include "firn/base/threads.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "firn/base/clock.h"

namespace firn {
namespace {

TEST(Threads, EveryIndexOnceAndWorkersDoNotOverlap) {
  for (int count : {1, 2, 8}) {
    Threads threads(count);
    std::vector<std::atomic<int>> calls(1000), busy(count);
    std::atomic<bool> overlap = false;
    threads.for_each(calls.size(), [&](std::size_t i, std::size_t worker) {
      if (busy[worker].fetch_add(1) != 0) overlap = true;
      ++calls[i];
      busy[worker].fetch_sub(1);
    });
    for (const auto& c : calls) EXPECT_EQ(c.load(), 1);
    EXPECT_FALSE(overlap);
  }
}

TEST(Threads, AllWorkersCanTakePart) {
  Threads threads(8);
  ASSERT_EQ(threads.count(), 8);
  std::vector<std::atomic<int>> calls(8);  // by worker
  std::atomic<int> arrived = 0;
  const Stopwatch watch;
  threads.for_each(calls.size(), [&](std::size_t, std::size_t worker) {
    ++calls[worker];
    ++arrived;
    while (arrived < 8 && watch.seconds() < 60) std::this_thread::yield();  // so that nobody takes a second call
  });
  for (const auto& c : calls) EXPECT_EQ(c.load(), 1);
}

TEST(Threads, ChangesNoSettingOfTheProcess) {
  const auto allowed = [] { return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism); };
  const std::size_t before = allowed();
  for (int count : {0, 1, 2, 3, 8, 100}) {
    Threads threads(count);
    threads.for_each(10, [&](std::size_t, std::size_t) { EXPECT_EQ(allowed(), before); });
    EXPECT_EQ(allowed(), before);
  }
  EXPECT_EQ(allowed(), before);
}

// oneTBB would print a warning, and a library never prints.
TEST(Threads, TakesWhatTheHostAllowsAndSaysNothing) {
  testing::internal::CaptureStderr();
  {
    const tbb::global_control three(tbb::global_control::max_allowed_parallelism, 3);
    Threads threads(8);
    EXPECT_EQ(threads.count(), 3);
    threads.for_each(100, [&](std::size_t, std::size_t worker) { EXPECT_LT(worker, 3u); });
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    EXPECT_EQ(Threads(2).count(), 1);
    threads.for_each(100, [](std::size_t, std::size_t) {});  // with fewer than it began with
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Threads, ExceptionsReachTheCaller) {
  Threads threads(2);
  EXPECT_THROW(threads.for_each(10,
                                [](std::size_t i, std::size_t) {
                                  if (i == 3) throw std::runtime_error("three");
                                }),
               std::runtime_error);
}

}  // namespace
}  // namespace firn
