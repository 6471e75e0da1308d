// The shape of one sample, or of the feature maps between two layers.
#pragma once

#include <cstddef>

namespace firn {

// Features are numbered channel by channel, then line by line: (c * height + y) * width + x.
struct Shape {
  std::size_t channels = 0, height = 1, width = 1;

  constexpr std::size_t size() const { return channels * height * width; }
  friend constexpr bool operator==(const Shape&, const Shape&) = default;
};

}  // namespace firn
