// Forward with a gate sampled for the whole batch, backward through the softmax of the same noisy logits.
#include "firn/discretize/estimator.h"

namespace firn::discretize {

std::unique_ptr<Hook> make_gumbel_st(const StrategyContext& context) {
  return std::make_unique<Estimator>("gumbel-st", context, /*hard=*/true, /*noisy=*/true);
}

}  // namespace firn::discretize
