// What the two kinds of slot layers share: the gate table of their kernels and the first opcodes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "firn/kernels/mixture.h"
#include "firn/logic/gate.h"

namespace firn {

inline constexpr auto kSlotTable = [] {
  std::array<float[4], kGates> table{};
  for (int g = 0; g < kGates; ++g)
    for (int t = 0; t < 4; ++t) table[g][t] = coefficients(static_cast<Gate>(g))[t];
  return table;
}();

// Slot j starts with gate j in every neuron.
inline std::vector<std::uint8_t> initial_opcodes(std::size_t neurons) {
  std::vector<std::uint8_t> opcodes(neurons * kSlots);
  for (std::size_t j = 0; j < opcodes.size(); ++j) opcodes[j] = static_cast<std::uint8_t>(j % kSlots);
  return opcodes;
}

}  // namespace firn
