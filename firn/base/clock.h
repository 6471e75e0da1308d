// Time that never goes back, for rates, progress and parts of a step.
#pragma once

#include "firn/base/rooms.h"

namespace firn {

double seconds_since_start_of_clock();

class Stopwatch {
 public:
  double seconds() const { return seconds_since_start_of_clock() - start_; }

  // Adds the time to one of several parts and begins anew.
  void add_to(double& part) {
    const double now = seconds_since_start_of_clock();
    part += now - start_;
    start_ = now;
  }

 private:
  double start_ = seconds_since_start_of_clock();
};

}  // namespace firn
