// The option --simd, for bits that are equal on machines of several kinds.
#pragma once

#include <string>

#include "firn/cli/options.h"
#include "firn/kernels/target.h"

namespace firn::cli {

class SimdOption {
 public:
  void add_to(Options& options) {
    options.add("--simd", target_, "SIMD target to use instead of the best one of this processor, such as AVX2")
        .type_name("TARGET");
  }
  // Before anything is computed.
  void apply() const {
    if (!target_.empty()) choose_target(target_);
  }

 private:
  std::string target_;
};

}  // namespace firn::cli
