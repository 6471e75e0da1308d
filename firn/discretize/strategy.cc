#include "firn/discretize/strategy.h"

#include "firn/base/family.h"

namespace firn::discretize {

std::span<const StrategyEntry> strategies() {
  static constexpr StrategyEntry kStrategies[] = {
      {"final-argmax", "relaxed to the end; the largest gate counts at evaluation", make_final_argmax,
       /*acts=*/false},
      {"global", "freeze everything in scope at once, after the start step", make_global},
      {"task", "TaskFreeze: freeze a neuron once its predicted effect on the loss stays negative", make_task},
      {"entropy", "freeze a neuron once its entropy stands still", make_entropy},
      {"layer-entropy", "freeze whole layers, shallow first, once their mean entropy stands still", make_layer_entropy},
      {"cage", "hard forward, softmax backward at a temperature that falls with confidence", make_cage},
      {"hard-st", "hard forward, softmax backward", make_hard_st},
      {"gumbel-st", "forward a sampled gate, softmax of the same noise backward", make_gumbel_st},
      {"soft-gumbel", "softmax of noisy logits", make_soft_gumbel},
      {"annealed", "softmax whose temperature falls geometrically to the end", make_annealed,
       /*acts=*/true, /*depends_on_length=*/true},
  };
  return kStrategies;
}

std::unique_ptr<Hook> make_strategy(const StrategyContext& context, std::span<const StrategyEntry> entries) {
  return entry_named(context.settings.strategy, entries, "strategy").make(context);
}

}  // namespace firn::discretize
