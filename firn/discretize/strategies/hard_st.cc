// Forward with the largest gate, backward through the softmax as if it had been used.
#include "firn/discretize/estimator.h"

namespace firn::discretize {

std::unique_ptr<Hook> make_hard_st(const StrategyContext& context) {
  return std::make_unique<Estimator>("hard-st", context, /*hard=*/true, /*noisy=*/false);
}

}  // namespace firn::discretize
