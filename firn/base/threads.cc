#include "firn/base/threads.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <vector>

#ifdef FIRN_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace firn {

namespace {

// Tells ThreadSanitizer what for_each promises, since it cannot see how the scheduler keeps the promise: what came
// before for_each is visible to every call, every call to what comes after, and a call to the next of the same worker.
// Nothing orders calls of different workers, so that a race between them is still found. Other builds: nothing.
class VisibleOrder {
 public:
#ifdef FIRN_THREAD_SANITIZER
  explicit VisibleOrder(int workers) : workers_(workers) {
    __tsan_release(&begin_);
  }
  ~VisibleOrder() {
    __tsan_acquire(&end_);
  }
  void enter(std::size_t worker) {
    __tsan_acquire(&begin_);
    __tsan_acquire(&workers_[worker]);
  }
  void leave(std::size_t worker) {
    __tsan_release(&workers_[worker]);
    __tsan_release(&end_);
  }

 private:
  char begin_ = 0, end_ = 0;  // addresses that stand for an order
  std::vector<char> workers_;
#else
  explicit VisibleOrder(int) {}
  void enter(std::size_t) {}
  void leave(std::size_t) {}
#endif
};

// One stretch of calls by one worker, left also when a call throws.
class VisibleCalls {
 public:
  VisibleCalls(VisibleOrder& order, std::size_t worker) : order_(order), worker_(worker) { order_.enter(worker_); }
  ~VisibleCalls() { order_.leave(worker_); }

 private:
  VisibleOrder& order_;
  std::size_t worker_;
};

int usable_threads(int wanted) {
  if (wanted == 1) return 1;
  const auto allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return std::min(wanted > 0 ? wanted : tbb::info::default_concurrency(), static_cast<int>(allowed));
}

}  // namespace

struct Threads::Arena {
  // Initialized at once: oneTBB prints a warning when an arena that asks for more workers than allowed comes to life,
  // so nothing should change between the question what is allowed and that moment.
  explicit Arena(int count) : arena(count) { arena.initialize(); }
  tbb::task_arena arena;
};

Threads::Threads(int count) : count_(usable_threads(count)) {
  if (count_ > 1) arena_ = std::make_unique<Arena>(count_);
}

Threads::~Threads() = default;

void Threads::run(std::size_t n, Call call, const void* context) {
  if (!arena_ || n <= 1) {
    for (std::size_t i = 0; i < n; ++i) call(context, i, 0);
    return;
  }
  VisibleOrder order(count_);
  arena_->arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, n, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          const auto worker = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
          const VisibleCalls calls(order, worker);
          for (std::size_t i = range.begin(); i != range.end(); ++i) call(context, i, worker);
        },
        tbb::simple_partitioner());
  });
}

}  // namespace firn
