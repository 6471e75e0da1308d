// The two tests that strategies share: a value that stands still, and what a step says about a neuron.
#pragma once

#include <cmath>
#include <cstdint>

#include "firn/kernels/mixture.h"
#include "firn/train/hook.h"
#include "firn/train/resample.h"

namespace firn::discretize {

// Counts how many times in a row a value was within `tolerance` of its moving average, as the average was before.
// The first value only sets the average.
struct Stillness {
  double ema = 0;
  std::uint32_t count = 0;
  bool started = false;

  // True once the count has reached `patience`.
  bool update(double value, double tolerance, double keep, std::uint64_t patience) {
    if (!started) {
      ema = value;
      started = true;
      return false;
    }
    count = std::abs(value - ema) < tolerance ? count + 1 : 0;
    ema = keep * ema + (1 - keep) * value;
    return count >= patience;
  }
};

// Largest weight of the step's own forward pass.
inline std::size_t forward_argmax(const StepView& step, std::size_t group, std::size_t i) {
  std::uint8_t slot = 0;
  argmax_rows(1, step.model.neurons()[group]->forward_weights.row(i), &slot);
  return slot;
}

// The slot that a rule for whole layers freezes: the largest of the step's own forward pass, but of the new logits
// where resampling has just redrawn the neuron and the old winner means nothing any more.
inline std::size_t slot_to_freeze(const StepView& step, std::size_t group, std::size_t i, Resampler::Redraw redraw) {
  if (redraw == Resampler::Redraw::kNone) return forward_argmax(step, group, i);
  std::uint8_t slot = 0;
  argmax_rows(1, step.model.neurons()[group]->logits.row(i), &slot);
  return slot;
}

// Entropy of the step's own forward pass, in [0, 1].
inline float forward_entropy(const StepView& step, std::size_t group, std::size_t i) {
  float entropy = 0;
  entropy_rows(1, step.model.neurons()[group]->forward_weights.row(i), &entropy);
  return entropy;
}

}  // namespace firn::discretize
