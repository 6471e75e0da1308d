#include "firn/base/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

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
