// The estimators that others compare with: what the forward pass uses (the largest or a sampled gate, or a noisy or
// cooling softmax) and what gradients pass through. They apply to all neurons, from the step after the start.
#include <cmath>
#include <utility>

#include "firn/discretize/noise.h"
#include "firn/discretize/strategy.h"

namespace firn {

namespace {

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

class Annealed final : public Hook {
 public:
  explicit Annealed(const StrategyContext& context)
      : settings_(context.settings.estimator), start_(context.settings.start), steps_(context.steps) {}

  std::string name() const override { return "annealed"; }

  void before_step(StepPlan& plan) override {
    if (plan.step <= start_) return;
    const double done = static_cast<double>(plan.step - start_) / static_cast<double>(steps_ - start_);
    const auto temperature =
        static_cast<float>(settings_.anneal_from * std::pow(settings_.anneal_to / settings_.anneal_from, done));
    for (WeightPlan& weights : plan.weights) weights = {false, temperature, temperature, nullptr};
  }

 private:
  EstimatorSettings settings_;
  std::uint64_t start_, steps_;
};

}  // namespace

std::unique_ptr<Hook> make_hard_st(const StrategyContext& context) {
  return std::make_unique<Estimator>("hard-st", context, /*hard=*/true, /*noisy=*/false);
}

std::unique_ptr<Hook> make_gumbel_st(const StrategyContext& context) {
  return std::make_unique<Estimator>("gumbel-st", context, /*hard=*/true, /*noisy=*/true);
}

std::unique_ptr<Hook> make_soft_gumbel(const StrategyContext& context) {
  return std::make_unique<Estimator>("soft-gumbel", context, /*hard=*/false, /*noisy=*/true);
}

std::unique_ptr<Hook> make_annealed(const StrategyContext& context) {
  return std::make_unique<Annealed>(context);
}

}  // namespace firn
