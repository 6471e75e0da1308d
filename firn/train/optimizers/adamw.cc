// AdamW (Loshchilov and Hutter, 2019): Adam, and apart from it every logit shrinks by the factor 1 - rate * decay.
#include "firn/train/optimizers/adam.h"

namespace firn::training {

std::unique_ptr<Optimizer> make_adamw(const Model& model, const OptimizerSettings& settings) {
  return std::make_unique<Adam>(model, settings, settings.weight_decay);
}

}  // namespace firn::training
