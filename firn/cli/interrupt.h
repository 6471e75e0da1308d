// SIGINT, SIGTERM and SIGHUP as a question that long work asks itself; a second one ends the program at once.
#pragma once

namespace firn::cli {

// While this lives, a reader that closes its end of a pipe ends the printing and not the work: see print_line(). A
// signal that was ignored when the program started, as nohup does with SIGHUP, stays ignored.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;
  // Of work that ended before it was done: 128 and the number of the signal, as shells count, so that what follows with
  // && is not started.
  int exit_code() const;
};

}  // namespace firn::cli
