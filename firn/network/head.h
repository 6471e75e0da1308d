// The head of a network: outputs are counted in equal contiguous groups, and the counts become class sums.
#pragma once

#include <cstddef>

namespace firn::network {

// A class sum is offset + factor * (what the outputs of its group add up to). The largest wins, the lowest class on
// ties. A single group means two classes, the second where its sum is above the threshold, or no classes at all: then
// the sum is a value, which is what the network predicts.
struct Head {
  std::size_t groups = 1;
  float factor = 1, offset = 0, threshold = 0;
  bool is_value = false;

  std::size_t classes() const { return is_value ? 0 : groups == 1 ? 2 : groups; }
  friend bool operator==(const Head&, const Head&) = default;
};

}  // namespace firn::network
