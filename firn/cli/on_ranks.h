// Commands that run over all processes which mpirun or srun has started.
#pragma once

#include <functional>

#include "firn/base/ranks.h"
#include "firn/cli/options.h"

namespace firn::cli {

class RankTimeoutOption {
 public:
  void add_to(Options& options) {
    options
        .add("--rank-timeout", seconds_, "Under mpirun or srun: seconds that a rank may be silent before all give up")
        .between(0.1, 1e6)
        .type_name("SECONDS")
        .show_default();
  }
  double seconds() const { return seconds_; }

 private:
  double seconds_ = 120;
};

// Calls body(ranks) with the ranks of this job, or with this process alone. A rank that fails says why, and ends all:
// the others would wait for it. What all ranks find wrong is said by the first one only.
int run_on_ranks(double timeout, const std::function<int(Ranks&)>& body);

}  // namespace firn::cli
