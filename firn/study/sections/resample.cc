#include "firn/study/sections.h"

namespace firn::study {

void describe(KeyTable& table, ResampleSettings& settings) {
  table.section("resample",
                "Connection resampling of the compact family: settled neurons get new gates and wires. Weights and "
                "entropies are those of a softmax at temperature 1.");
  table.add("resample.enabled", settings.enabled, "Whether to resample.");
  table.add("resample.patience", settings.patience, "Steps in a row that a neuron's entropy must be steady.",
            at_least(1));
  table.add("resample.until", settings.until, "Last step that resamples; 0 goes on to the end.");
  table.add("resample.after_start", settings.after_start,
            "What happens after the freeze start; with a strategy that never acts, resampling always continues.",
            one_of({"continue", "stop"}));
  table.add("resample.tolerance", settings.tolerance, "How far entropy may be from its moving average to be steady.",
            at_least(0));
  table.add("resample.ema", settings.ema, "Decay of that moving average.", between(0, 1));
  table.add("resample.strong", settings.strong, "A neuron whose largest weight is above this keeps its winner.",
            between(0, 1));
  table.add("resample.weak", settings.weak, "A neuron whose largest weight is below this is drawn anew.",
            between(0, 1));
}

}  // namespace firn::study
