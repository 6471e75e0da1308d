// Measures how far a long computation has come: rate, remaining time, and a line that says so. It prints nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "firn/base/rooms.h"

namespace firn {

class Progress {
 public:
  using Clock = std::function<double()>;  // seconds since any fixed moment

  // `unit` is what is counted, in the singular ("step"). `total` 0 means that nobody knows. A resumed computation
  // starts at `done`, and its rate counts only what has been done since.
  Progress(std::string unit, std::uint64_t total, Clock clock, std::uint64_t done = 0);

  void update(std::uint64_t done);

  std::uint64_t done() const { return done_; }
  std::uint64_t total() const { return total_; }
  bool finished() const { return total_ > 0 && done_ >= total_; }
  double elapsed() const { return clock_() - start_; }  // seconds

  std::optional<double> rate() const;  // per second, over the last half minute; nothing before there is something
  std::optional<double> seconds_left() const;

  // "step 1,200/20,000  6 %  41.2 steps/s  ETA 7m36s", followed by `extra` after two more spaces.
  std::string line(std::string_view extra = {}) const;

 private:
  struct Mark {
    double time;
    std::uint64_t done;
  };

  std::string unit_;
  std::uint64_t total_, done_;
  Clock clock_;
  double start_;
  std::deque<Mark> marks_;  // oldest first
};

std::string format_count(std::uint64_t count);  // 20,000
std::string format_duration(double seconds);    // 45s, 7m36s, 2h05m, 3d04h

}  // namespace firn
