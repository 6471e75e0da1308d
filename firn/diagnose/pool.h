// OR-pooling of up to four values: the maximum, who attains it, and how it changes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "firn/diagnose/lanes.h"
#include "firn/network/layer.h"

namespace firn::diagnose {

using Pooled = std::array<const Lanes*, kMaxPool>;  // values, or their changes (null: none)

// The first of the largest, per lane.
struct Winners {
  std::array<std::uint8_t, kLanes> position{};
  std::array<std::uint8_t, kLanes> is_tied{};

  Winners(const Pooled& values, std::size_t count) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      for (std::size_t p = 1; p < count; ++p)
        if (values[p]->v[l] > values[position[l]]->v[l]) position[l] = static_cast<std::uint8_t>(p);
      for (std::size_t p = 0; p < count; ++p)
        if (p != position[l] && values[p]->v[l] == values[position[l]]->v[l]) is_tied[l] = 1;
    }
  }
};

inline void pool_values(const Pooled& values, std::size_t count, Lanes& out) {
  Lanes top = *values[0];
  for (std::size_t p = 1; p < count; ++p)
    for (std::size_t l = 0; l < kLanes; ++l) top.v[l] = values[p]->v[l] > top.v[l] ? values[p]->v[l] : top.v[l];
  out = top;
}

// The maximum moves by the largest of (own change - how far the position was behind). The winner is behind by nothing,
// so that its change arrives with all its digits.
inline void pool_change(Difference, const Pooled& values, const Pooled& changes, std::size_t count,
                        std::size_t together, Lanes* out) {
  Lanes top;
  pool_values(values, count, top);
  for (std::size_t j = 0; j < together; ++j) {
    Lanes most;
    for (std::size_t p = 0; p < count; ++p) {
      const Lanes& d = changes[p] != nullptr ? changes[p][j] : kZeroLanes;
      Lanes moved;
      for (std::size_t l = 0; l < kLanes; ++l) moved.v[l] = d.v[l] - (top.v[l] - values[p]->v[l]);
      if (p == 0) most = moved;
      for (std::size_t l = 0; l < kLanes; ++l) most.v[l] = moved.v[l] > most.v[l] ? moved.v[l] : most.v[l];
    }
    out[j] = most;
  }
}

// Derivatives follow the winner at t = 0.
inline void pool_change(Derivatives, const Pooled& values, const Pooled& changes, std::size_t count,
                        std::size_t together, Lanes* out) {
  const Winners winners(values, count);
  for (std::size_t r = 0; r < together * Derivatives::kParts; ++r)
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Lanes* d = changes[winners.position[l]];
      out[r].v[l] = d != nullptr ? d[r].v[l] : 0;
    }
}

}  // namespace firn::diagnose
