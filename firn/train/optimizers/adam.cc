// Adam (Kingma and Ba, 2015): steps along a moving average of the gradient, measured in moving averages of its square.
#include "firn/train/optimizers/adam.h"

#include <cmath>

namespace firn::training {

Adam::Adam(const Model& model, const OptimizerSettings& settings, double weight_decay)
    : Optimizer(model, settings, {"first", "second"}), settings_(settings), weight_decay_(weight_decay) {}

void Adam::begin(std::uint64_t update, double learning_rate) {
  const auto count = static_cast<double>(update);
  step_.learning_rate = static_cast<float>(learning_rate);
  step_.beta1 = static_cast<float>(settings_.beta1);
  step_.beta2 = static_cast<float>(settings_.beta2);
  step_.rest1 = static_cast<float>(1 - settings_.beta1);
  step_.rest2 = static_cast<float>(1 - settings_.beta2);
  step_.epsilon = static_cast<float>(settings_.epsilon);
  step_.correction1 = static_cast<float>(1 - std::pow(settings_.beta1, count));
  step_.correction2 = static_cast<float>(1 - std::pow(settings_.beta2, count));
  step_.decay = static_cast<float>(weight_decay_);
}

bool Adam::move(const Block& block) {
  return adam_rows(step_, block.rows, block.gradient, block.logits, memory(0, block), memory(1, block));
}

std::unique_ptr<Optimizer> make_adam(const Model& model, const OptimizerSettings& settings) {
  return std::make_unique<Adam>(model, settings, 0);
}

}  // namespace firn::training
