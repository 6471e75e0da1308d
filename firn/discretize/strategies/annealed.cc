// The plain softmax whose temperature falls geometrically from the step after the start to the last step.
#include <cmath>

#include "firn/discretize/strategy.h"

namespace firn::discretize {

namespace {

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

std::unique_ptr<Hook> make_annealed(const StrategyContext& context) {
  return std::make_unique<Annealed>(context);
}

}  // namespace firn::discretize
