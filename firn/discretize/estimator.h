// What the plain estimators share: one way of forward and backward for all neurons, from the step after the start.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "firn/discretize/noise.h"
#include "firn/discretize/strategy.h"

namespace firn::discretize {

class Estimator final : public Hook {
 public:
  Estimator(std::string name, const StrategyContext& context, bool hard, bool noisy)
      : name_(std::move(name)),
        start_(context.settings.start),
        hard_(hard),
        temperature_(static_cast<float>(context.settings.estimator.temperature)) {
    if (noisy) noise_ = std::make_unique<GumbelNoise>(context.model, context.seed, context.threads);
  }

  std::string name() const override { return name_; }

  void before_step(StepPlan& plan) override {
    if (plan.step <= start_) return;
    if (noise_) noise_->draw(plan.step);
    for (std::size_t g = 0; g < plan.weights.size(); ++g)
      plan.weights[g] = {hard_, temperature_, temperature_, noise_ ? &noise_->of_group(g) : nullptr};
  }

 private:
  std::string name_;
  std::uint64_t start_;
  bool hard_;
  float temperature_;
  std::unique_ptr<GumbelNoise> noise_;
};

}  // namespace firn::discretize
