// The option --threads, which every command that computes has.
#pragma once

#include "firn/cli/options.h"

namespace firn::cli {

class ThreadsOption {
 public:
  void add_to(Options& options) {
    options.add("--threads", count_, "Threads to use; 0 takes all cores. Results do not depend on it")
        .between(0, 1024)
        .type_name("N");
  }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

}  // namespace firn::cli
