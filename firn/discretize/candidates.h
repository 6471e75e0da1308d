// The slots of one relaxed neuron: their weights, and those worth trying.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/kernels/mixture.h"
#include "firn/model/neurons.h"

namespace firn::discretize {

// Aligned as the kernels want their rows.
struct alignas(kCacheLine) SlotWeights {
  float values[kSlots];
};

inline SlotWeights slot_weights(const Neurons& neurons, std::size_t i, double temperature) {
  SlotWeights weights;
  softmax_rows(1, neurons.logits.row(i), static_cast<float>(temperature), weights.values);
  return weights;
}

// Those with the largest logits, largest first.
inline std::vector<std::size_t> likeliest_slots(const Neurons& neurons, std::size_t i, std::size_t count) {
  std::vector<std::size_t> slots(kSlots);
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  std::ranges::stable_sort(slots, std::ranges::greater(), [&](std::size_t k) { return neurons.logits.row(i)[k]; });
  slots.resize(std::clamp<std::size_t>(count, 1, kSlots));
  return slots;
}

}  // namespace firn::discretize
