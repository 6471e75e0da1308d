// The softmax of noisy logits, forward and backward.
#include "firn/discretize/estimator.h"

namespace firn::discretize {

std::unique_ptr<Hook> make_soft_gumbel(const StrategyContext& context) {
  return std::make_unique<Estimator>("soft-gumbel", context, /*hard=*/false, /*noisy=*/true);
}

}  // namespace firn::discretize
