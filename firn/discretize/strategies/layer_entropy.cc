// Layer by layer, shallow first: a layer is frozen whole once its mean entropy stands still. Only the shallowest layer
// that is not frozen is watched, and its average starts when its turn comes.
#include "firn/discretize/rules.h"
#include "firn/discretize/strategy.h"

namespace firn::discretize {

namespace {

class LayerEntropy final : public Hook {
 public:
  explicit LayerEntropy(const StrategyContext& context)
      : settings_(context.settings.entropy),
        start_(context.settings.start),
        freezer_(context.freezer),
        redraw_(context.redraw) {}

  std::string name() const override { return "layer-entropy"; }

  void on_step(const StepView& step) override {
    if (step.step < start_ || candidate_ >= freezer_.scope().size()) return;
    const std::size_t g = freezer_.scope()[candidate_];
    const std::size_t count = freezer_.neurons(g).count();
    double mean = 0;
    for (std::size_t i = 0; i < count; ++i)
      mean += freezer_.is_frozen(g, i) ? 0 : static_cast<double>(forward_entropy(step, g, i));
    mean /= static_cast<double>(count);
    Stillness stillness{ema_, count_, started_ != 0};
    const bool still = stillness.update(mean, settings_.tolerance, settings_.ema, settings_.patience);
    ema_ = stillness.ema;
    count_ = stillness.count;
    started_ = stillness.started;
    if (!still) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (freezer_.is_frozen(g, i)) continue;
      const std::size_t slot = slot_to_freeze(step, g, i, redraw_(g, i));
      freezer_.freeze(step.step, g, i, slot, step.scores[g].row(i)[slot], forward_entropy(step, g, i));
    }
    ++candidate_;
    started_ = 0;
    count_ = 0;
  }

  void visit_state(StateVisitor& visitor) override {
    visitor.visit("freeze.layer-entropy.candidate", std::span(&candidate_, 1));
    visitor.visit("freeze.layer-entropy.ema", std::span(&ema_, 1));
    visitor.visit("freeze.layer-entropy.count", std::span(&count_, 1));
    visitor.visit("freeze.layer-entropy.started", std::span(&started_, 1));
  }

 private:
  EntropySettings settings_;
  std::uint64_t start_;
  Freezer& freezer_;
  std::function<Resampler::Redraw(std::size_t, std::size_t)> redraw_;
  std::uint64_t candidate_ = 0;  // position in the scope
  double ema_ = 0;
  std::uint32_t count_ = 0;
  std::uint8_t started_ = 0;
};

}  // namespace

std::unique_ptr<Hook> make_layer_entropy(const StrategyContext& context) {
  return std::make_unique<LayerEntropy>(context);
}

}  // namespace firn::discretize
