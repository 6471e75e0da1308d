// SIGINT and SIGTERM as a question that long work asks itself; a second one ends the program at once.
#pragma once

namespace firn::cli {

class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;
};

}  // namespace firn::cli
