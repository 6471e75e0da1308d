// CAGE: from the start on, the forward pass uses the largest gate and the backward pass a softmax whose temperature
// falls as the network grows confident. Confidence is the mean over all neurons of the largest weight at temperature 1.
#include <algorithm>

#include "firn/discretize/strategy.h"

namespace firn::discretize {

namespace {

class Cage final : public Hook {
 public:
  explicit Cage(const StrategyContext& context)
      : settings_(context.settings.cage),
        start_(context.settings.start),
        model_(context.model),
        threads_(context.threads) {}

  std::string name() const override { return "cage"; }

  void before_step(StepPlan& plan) override {
    if (plan.step <= start_) return;
    constexpr double kUniform = 1.0 / kSlots;
    const double now = confidence();
    if (!started_) ema_ = settings_.ema_init == "uniform" ? kUniform : now;
    started_ = 1;
    ema_ = settings_.ema * ema_ + (1 - settings_.ema) * now;
    const double q = std::clamp((ema_ - kUniform) / (1 - kUniform), 0.0, 1.0);
    const auto temperature = static_cast<float>(settings_.tau_max - (settings_.tau_max - settings_.tau_min) * q);
    for (std::size_t g = 0; g < plan.weights.size(); ++g) {
      if (settings_.scope == "conv" && !model_.neurons()[g]->convolutional) continue;
      plan.weights[g].hard = true;
      plan.weights[g].backward_temperature = temperature;
    }
  }

  void visit_state(StateVisitor& visitor) override {
    visitor.visit("freeze.cage.ema", std::span(&ema_, 1));
    visitor.visit("freeze.cage.started", std::span(&started_, 1));
  }

 private:
  double confidence() {
    double sum = 0;
    std::size_t count = 0;
    for (const Neurons* group : model_.neurons()) {
      // Blocks are added in their order, whichever thread made them.
      blocks_.assign((group->count() + kRowBlock - 1) / kRowBlock, 0);
      for_each_block(group->count(), threads_, [&](std::size_t first, std::size_t rows) {
        alignas(kCacheLine) float weights[kSlots];
        for (std::size_t i = first; i < first + rows; ++i) {
          softmax_rows(1, group->logits.row(i), 1, weights);
          blocks_[first / kRowBlock] += static_cast<double>(*std::max_element(weights, weights + kSlots));
        }
      });
      for (double block : blocks_) sum += block;
      count += group->count();
    }
    return sum / static_cast<double>(count);
  }

  CageSettings settings_;
  std::uint64_t start_;
  Model& model_;
  Threads& threads_;
  double ema_ = 0;
  std::uint8_t started_ = 0;
  std::vector<double> blocks_;  // sums of one group, block by block
};

}  // namespace

std::unique_ptr<Hook> make_cage(const StrategyContext& context) {
  return std::make_unique<Cage>(context);
}

}  // namespace firn::discretize
