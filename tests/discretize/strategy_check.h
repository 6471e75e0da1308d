// Drives a strategy step by step with hand-made logits and scores, on a tiny dense model of three layers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firn/base/threads.h"
#include "firn/discretize/strategy.h"
#include "firn/model/build.h"

namespace firn {

class StrategyCheck {
 public:
  explicit StrategyCheck(const FreezeSettings& settings, std::vector<std::string> scope = {"all"})
      : settings_(settings),
        model(build_model({.family = "dense", .width = 4, .layers = 3}, {4}, 2, 1)),
        freezer(*model, resolve_scope(*model, scope)),
        optimizer(make_optimizer(*model, {})) {
    for (const Neurons* group : std::as_const(*model).neurons()) scores.emplace_back(group->count(), kSlots);
    StrategyContext context{settings_, *model, freezer, threads, 1, 1000};
    context.redraw = [this](std::size_t, std::size_t) { return redraw; };
    hook = make_strategy(context);
    freezer.on_freeze = [this](const FreezeEvent& event) { events.push_back(event); };
  }

  // One step whose forward pass uses the logits as they are now.
  StepPlan run(std::uint64_t step) {
    StepPlan plan{step, std::vector<WeightPlan>(model->neurons().size())};
    hook->before_step(plan);
    model->prepare({WeightPlan{}}, threads);
    hook->on_step({step, 0, *model, *optimizer, scores});
    return plan;
  }

  // Gives every neuron the same score in every slot.
  void set_scores(float value) {
    for (auto& rows : scores)
      for (std::size_t i = 0; i < rows.rows(); ++i) std::ranges::fill(rows[i], value);
  }

  std::vector<std::uint64_t> steps_of_events() const {
    std::vector<std::uint64_t> steps;
    for (const FreezeEvent& event : events)
      if (steps.empty() || steps.back() != event.step) steps.push_back(event.step);
    return steps;
  }

 private:
  FreezeSettings settings_;

 public:
  Threads threads{1};
  std::unique_ptr<Model> model;
  Freezer freezer;
  std::unique_ptr<Optimizer> optimizer;
  std::vector<Matrix<float>> scores;
  std::unique_ptr<Hook> hook;
  std::vector<FreezeEvent> events;
  Resampler::Redraw redraw = Resampler::Redraw::kNone;
};

}  // namespace firn
