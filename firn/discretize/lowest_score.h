// The slot that scores select: k* = argmin over k of S(k), with one rule for ties.
//
// Ties are common: a neuron that feeds only gates which ignore it has sixteen scores of exactly 0, and nothing speaks
// for any slot. It stays with its argmax slot then. Anything else would count as a choice that the scores never made.
#pragma once

#include <cstddef>
#include <span>

#include "firn/kernels/mixture.h"

namespace firn::discretize {

// The slot with the lowest score; the argmax slot wins ties, then the lowest index.
template <class Scores>  // [16] numbers
std::size_t lowest_score(const Scores& scores, std::size_t argmax) {
  std::size_t best = argmax;
  for (std::size_t k = 0; k < kSlots; ++k)
    if (scores[k] < scores[best]) best = k;
  return best;
}

// The same among some slots: in ascending order, the argmax slot one of them.
template <class Scores>
std::size_t lowest_score(const Scores& scores, std::size_t argmax, std::span<const std::size_t> slots) {
  std::size_t best = argmax;
  for (std::size_t k : slots)
    if (scores[k] < scores[best]) best = k;
  return best;
}

}  // namespace firn::discretize
