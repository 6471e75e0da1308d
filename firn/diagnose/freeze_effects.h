// Freeze effects: what committing each neuron does to the risk, beside what could have been known before.
#pragma once

#include <string>
#include <vector>

#include "firn/diagnose/interventions.h"
#include "firn/diagnose/statistics.h"

namespace firn::diagnose {

// One decision and its two candidates: the argmax slot, and the slot that first-order scores select.
struct FreezeEffect {
  std::size_t neuron = 0;  // as Mixtures numbers them
  double entropy = 0;
  std::size_t argmax = 0, selected = 0;  // slots
  double argmax_score = 0, selected_score = 0;
  SlotEffect argmax_effect, selected_effect;
};

struct EffectSummary {
  std::string layer;  // or "all"
  std::size_t neurons = 0;
  Correlation entropy;   // of entropy and the effect of the argmax slot
  Correlation selected;  // of score and effect of the selected slot
  Correlation argmax;    // of score and effect of the argmax slot
  // The three correlations where effects are differences of risks in single precision.
  std::optional<double> entropy_in_single, selected_in_single, argmax_in_single;
  std::optional<double> argmax_displacement, selected_displacement;  // medians
  double disagree = 0;    // share of neurons whose selected slot is not the argmax slot
  double same_sign = 0;   // share whose argmax score and effect have the same sign
  double improvable = 0;  // share whose argmax effect is negative: freezing it lowers the risk
};

// One summary per layer in the order of the layers, and one for all of them. `risk` is that of the relaxed network.
std::vector<EffectSummary> summarize(const Mixtures& mixtures, const std::vector<FreezeEffect>& effects, double risk,
                                     const Bootstrap& bootstrap, Threads& threads);

}  // namespace firn::diagnose
