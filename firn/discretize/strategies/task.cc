// TaskFreeze: commit a neuron to its argmax gate once the predicted effect of doing so on the loss has stayed negative.
// The prediction is the first-order score that every backward pass yields anyway.
#include <cmath>

#include "firn/discretize/rules.h"
#include "firn/discretize/strategy.h"

namespace firn::discretize {

namespace {

class Task final : public Hook {
 public:
  explicit Task(const StrategyContext& context)
      : settings_(context.settings.task),
        start_(context.settings.start),
        every_step_(settings_.score == "every-step"),
        beta_(std::exp2(-static_cast<double>(settings_.interval) / settings_.half_life)),
        freezer_(context.freezer),
        redraw_(context.redraw) {
    for (std::size_t g : freezer_.scope()) {
      const std::size_t count = freezer_.neurons(g).count();
      groups_.push_back({g, std::vector<double>(count), std::vector<std::uint32_t>(count),
                         std::vector<std::uint8_t>(count), std::vector<double>(every_step_ ? count : 0),
                         std::vector<std::uint32_t>(every_step_ ? count : 0)});
    }
  }

  std::string name() const override { return "task"; }

  void on_step(const StepView& step) override {
    if (step.step <= start_) return;
    const bool decides = step.step % settings_.interval == 0;
    for (Group& group : groups_)
      for (std::size_t i = 0; i < group.ema.size(); ++i)
        if (!freezer_.is_frozen(group.index, i)) look_at(step, group, i, decides);
  }

  void visit_state(StateVisitor& visitor) override {
    for (Group& group : groups_) {
      const std::string prefix = "freeze.task." + freezer_.neurons(group.index).name;
      visitor.visit(prefix + ".ema", group.ema);
      visitor.visit(prefix + ".below", group.below);
      visitor.visit(prefix + ".argmax", group.argmax);
      if (!every_step_) continue;
      visitor.visit(prefix + ".sum", group.sum);
      visitor.visit(prefix + ".summed", group.summed);
    }
  }

 private:
  struct Group {
    std::size_t index;
    std::vector<double> ema;           // of the shock, starting at 0
    std::vector<std::uint32_t> below;  // evaluations in a row with a negative average
    std::vector<std::uint8_t> argmax;  // at the last evaluation
    std::vector<double> sum;           // of shocks since the last evaluation, where every step counts
    std::vector<std::uint32_t> summed;
  };

  // Redraws count in every step, also where nothing is scored: what a neuron has earned belongs to the gates it had.
  void look_at(const StepView& step, Group& group, std::size_t i, bool decides) {
    if (const auto redraw = redraw_(group.index, i); redraw != Resampler::Redraw::kNone) {
      if (redraw == Resampler::Redraw::kWeak) forget(group, i);
      if (decides) forget_sum(group, i);
      return;
    }
    if (!decides && !every_step_) return;
    const std::size_t slot = forward_argmax(step, group.index, i);
    double shock = step.scores[group.index].row(i)[slot];
    if (every_step_) {
      group.sum[i] += shock;
      ++group.summed[i];
      if (!decides) return;
      shock = group.sum[i] / group.summed[i];
      forget_sum(group, i);
    }
    if (settings_.reset_on_change && slot != group.argmax[i]) forget(group, i);
    group.argmax[i] = static_cast<std::uint8_t>(slot);
    group.ema[i] = beta_ * group.ema[i] + (1 - beta_) * shock;
    group.below[i] = group.ema[i] < 0 ? group.below[i] + 1 : 0;
    if (group.below[i] >= settings_.patience)
      freezer_.freeze(step.step, group.index, i, slot, shock, forward_entropy(step, group.index, i));
  }

  void forget(Group& group, std::size_t i) {
    group.ema[i] = 0;
    group.below[i] = 0;
    forget_sum(group, i);
  }

  void forget_sum(Group& group, std::size_t i) {
    if (!every_step_) return;
    group.sum[i] = 0;
    group.summed[i] = 0;
  }

  TaskSettings settings_;
  std::uint64_t start_;
  bool every_step_;
  double beta_;
  Freezer& freezer_;
  std::function<Resampler::Redraw(std::size_t, std::size_t)> redraw_;
  std::vector<Group> groups_;
};

}  // namespace

std::unique_ptr<Hook> make_task(const StrategyContext& context) {
  return std::make_unique<Task>(context);
}

}  // namespace firn::discretize
