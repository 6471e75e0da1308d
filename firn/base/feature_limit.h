// How many features there can be: a shape that claims more is refused before anything is computed with its size.
#pragma once

#include "firn/base/shape.h"

namespace firn {

inline constexpr std::size_t kMaxFeatures = std::size_t{1} << 26;  // of one layer, with its border, or of an encoder

// Whether a shape from outside has features, and no more than kMaxFeatures; their number may be beyond any integer.
constexpr bool is_small(const Shape& shape) {
  const std::size_t limit = kMaxFeatures;
  return shape.channels > 0 && shape.height > 0 && shape.width > 0 && shape.channels <= limit &&
         shape.height <= limit / shape.channels && shape.width <= limit / (shape.channels * shape.height);
}

static_assert(is_small({1, kMaxFeatures, 1}) && !is_small({1, 2, kMaxFeatures}) && !is_small({3, 0, 3}));
static_assert(!is_small({999, 4727093576446091307, 1}));  // 1997 modulo 2^64

}  // namespace firn
