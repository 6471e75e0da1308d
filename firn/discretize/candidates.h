// The slots worth trying for a neuron: those with the largest logits, largest first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "firn/model/neurons.h"

namespace firn {

inline std::vector<std::size_t> likeliest_slots(const Neurons& neurons, std::size_t i, std::size_t count) {
  std::vector<std::size_t> slots(kSlots);
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  std::ranges::stable_sort(slots, std::ranges::greater(), [&](std::size_t k) { return neurons.logits.row(i)[k]; });
  slots.resize(std::clamp<std::size_t>(count, 1, kSlots));
  return slots;
}

}  // namespace firn
