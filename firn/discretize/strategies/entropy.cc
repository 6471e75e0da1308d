// EntropyFreeze: a neuron whose entropy stands still is frozen. The test is stationarity, not low entropy.
#include "firn/discretize/rules.h"
#include "firn/discretize/strategy.h"

namespace firn::discretize {

namespace {

class Entropy final : public Hook {
 public:
  explicit Entropy(const StrategyContext& context)
      : settings_(context.settings.entropy),
        start_(context.settings.start),
        freezer_(context.freezer),
        redraw_(context.redraw) {
    for (std::size_t g : freezer_.scope()) {
      const std::size_t count = freezer_.neurons(g).count();
      groups_.push_back(
          {g, std::vector<double>(count), std::vector<std::uint32_t>(count), std::vector<std::uint8_t>(count)});
    }
  }

  std::string name() const override { return "entropy"; }

  void on_step(const StepView& step) override {
    if (step.step < start_) return;
    for (Group& group : groups_)
      for (std::size_t i = 0; i < group.ema.size(); ++i) {
        if (freezer_.is_frozen(group.index, i) || was_redrawn(group, i)) continue;
        const double entropy = forward_entropy(step, group.index, i);
        Stillness stillness{group.ema[i], group.count[i], group.started[i] != 0};
        const bool still = stillness.update(entropy, settings_.tolerance, settings_.ema, settings_.patience);
        group.ema[i] = stillness.ema;
        group.count[i] = stillness.count;
        group.started[i] = stillness.started;
        if (!still) continue;
        const std::size_t slot = forward_argmax(step, group.index, i);
        freezer_.freeze(step.step, group.index, i, slot, step.scores[group.index].row(i)[slot], entropy);
      }
  }

  void visit_state(StateVisitor& visitor) override {
    for (Group& group : groups_) {
      const std::string prefix = "freeze.entropy." + freezer_.neurons(group.index).name;
      visitor.visit(prefix + ".ema", group.ema);
      visitor.visit(prefix + ".count", group.count);
      visitor.visit(prefix + ".started", group.started);
    }
  }

 private:
  struct Group {
    std::size_t index;
    std::vector<double> ema;
    std::vector<std::uint32_t> count;
    std::vector<std::uint8_t> started;
  };

  // A redrawn neuron is not evaluated in that step; a full redraw also starts its watch anew.
  bool was_redrawn(Group& group, std::size_t i) {
    const auto redraw = redraw_(group.index, i);
    if (redraw == Resampler::Redraw::kWeak) {
      group.started[i] = 0;
      group.count[i] = 0;
    }
    return redraw != Resampler::Redraw::kNone;
  }

  EntropySettings settings_;
  std::uint64_t start_;
  Freezer& freezer_;
  std::function<Resampler::Redraw(std::size_t, std::size_t)> redraw_;
  std::vector<Group> groups_;
};

}  // namespace

std::unique_ptr<Hook> make_entropy(const StrategyContext& context) {
  return std::make_unique<Entropy>(context);
}

}  // namespace firn::discretize
