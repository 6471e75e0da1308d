// Every neuron in scope is frozen to its largest gate at once, after the start step; the rest goes on learning.
#include <algorithm>

#include "firn/discretize/rules.h"
#include "firn/discretize/strategy.h"

namespace firn::discretize {

namespace {

class Global final : public Hook {
 public:
  explicit Global(const StrategyContext& context)
      : freezer_(context.freezer),
        redraw_(context.redraw),
        start_(std::max<std::uint64_t>(context.settings.start, 1)) {}

  std::string name() const override { return "global"; }

  void on_step(const StepView& step) override {
    if (step.step != start_) return;
    for (std::size_t g : freezer_.scope())
      for (std::size_t i = 0; i < freezer_.neurons(g).count(); ++i) {
        if (freezer_.is_frozen(g, i)) continue;
        const std::size_t slot = slot_to_freeze(step, g, i, redraw_(g, i));
        freezer_.freeze(step.step, g, i, slot, step.scores[g].row(i)[slot], forward_entropy(step, g, i));
      }
  }

 private:
  Freezer& freezer_;
  std::function<Resampler::Redraw(std::size_t, std::size_t)> redraw_;
  std::uint64_t start_;
};

}  // namespace

std::unique_ptr<Hook> make_global(const StrategyContext& context) {
  return std::make_unique<Global>(context);
}

}  // namespace firn::discretize
