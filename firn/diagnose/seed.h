// Where a change begins: one neuron, replaced by up to four of its slots.
#pragma once

#include <array>
#include <cstddef>

#include "firn/diagnose/lanes.h"

namespace firn::diagnose {

struct Seed {
  std::size_t neuron = 0;    // as Mixtures numbers them
  std::size_t together = 0;  // replacements at once
  std::array<std::size_t, kChangeRows> slots{};
  std::array<Terms, kChangeRows> towards{};  // per replacement: terms of the slot minus those of the mixture
  std::size_t samples = kLanes;              // lanes that count
  // Sum over samples and positions of the squared displacement, per replacement.
  std::array<double, kChangeRows> squares{};
  std::array<double, kChangeRows> winning_squares{};  // the same without positions that lose their pool

  void add_square(std::size_t j, const Lanes& displacement) {
    for (std::size_t l = 0; l < samples; ++l) squares[j] += displacement.v[l] * displacement.v[l];
  }
  void add_winning_square(std::size_t j, double displacement) { winning_squares[j] += displacement * displacement; }
};

}  // namespace firn::diagnose
