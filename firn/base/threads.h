// The threads a computation may use: a context that is passed along, never a global.
#pragma once

#include <cstddef>
#include <memory>

#include "firn/base/rooms.h"

namespace firn {

// Several may live at once. No process-wide setting is changed: the host decides how many threads its process may use,
// by default as many as the machine has cores, and where it allows more or fewer (tbb::global_control in oneTBB) this
// follows. Workers are shared by all Threads of the process, so that fewer than count() may take part in a loop; no
// result depends on it.
class Threads {
 public:
  // 0: as many as the machine has cores. More than the process may use at that moment are not taken.
  explicit Threads(int count = 0);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int count() const { return count_; }

  // Calls body(index, worker) for every index in [0, n), in any order, and returns when all are done. `worker` is in
  // [0, count()) and no two calls with the same worker overlap: it selects scratch memory. What a call writes must not
  // depend on `worker`, or results would depend on the number of threads.
  template <class Body>
  void for_each(std::size_t n, const Body& body) {
    run(
        n,
        [](const void* context, std::size_t index, std::size_t worker) {
          (*static_cast<const Body*>(context))(index, worker);
        },
        &body);
  }

 private:
  // A plain function and what it works on, because wrapping the body in a std::function would allocate in every call.
  using Call = void (*)(const void* context, std::size_t index, std::size_t worker);
  void run(std::size_t n, Call call, const void* context);

  struct Arena;
  int count_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace firn
