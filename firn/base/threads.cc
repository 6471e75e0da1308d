#include "firn/base/threads.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace firn {

struct Threads::Arena {
  explicit Arena(int count)
      // An arena alone never gets more threads than the machine has cores; this lets a test ask for eight on two.
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count)), arena(count) {}
  tbb::global_control limit;
  tbb::task_arena arena;
};

Threads::Threads(int count) : count_(count > 0 ? count : tbb::info::default_concurrency()) {
  if (count_ > 1) arena_ = std::make_unique<Arena>(count_);
}

Threads::~Threads() = default;

void Threads::for_each(std::size_t n, const std::function<void(std::size_t, std::size_t)>& body) {
  if (!arena_ || n <= 1) {
    for (std::size_t i = 0; i < n; ++i) body(i, 0);
    return;
  }
  arena_->arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, n, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          const auto worker = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
          for (std::size_t i = range.begin(); i != range.end(); ++i) body(i, worker);
        },
        tbb::simple_partitioner());
  });
}

}  // namespace firn
