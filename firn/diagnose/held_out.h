// Held-out selection: does the slot that looks best on one half of the samples beat the argmax slot on the other?
#pragma once

#include <array>
#include <vector>

#include "firn/diagnose/interventions.h"

namespace firn::diagnose {

// A neuron whose lowest score on the selecting half belongs to another slot than its argmax.
struct HeldOutChoice {
  std::size_t half = 0;  // that selected: 0 is A, 1 is B
  std::size_t neuron = 0, argmax = 0, selected = 0;
  double displacement = 0;                                   // of the selected slot, on the selecting half
  std::array<double, 2> argmax_effect{}, selected_effect{};  // on A and on B

  bool wins(std::size_t on) const { return selected_effect[on] < argmax_effect[on]; }
};

// Of the choices with the smallest displacement: how often the selected slot is better than the argmax slot.
struct WinRate {
  double fraction = 0;  // of the choices retained
  std::size_t choices = 0;
  std::array<double, 2> same{}, other{};  // by selecting half: judged on that half, judged on the other one
};

struct HeldOut {
  std::vector<HeldOutChoice> choices;
  std::vector<WinRate> rates;
};

HeldOut summarize_held_out(std::vector<HeldOutChoice> choices);

}  // namespace firn::diagnose
