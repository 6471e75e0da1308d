#include "firn/network/draw.h"

namespace firn::network {

std::vector<std::uint32_t> draw_balanced(std::size_t values, std::size_t count, RandomSequence& random) {
  // Reducing a permutation modulo `values` favours the first few by one use; the relabelling spreads that favour.
  auto drawn = permutation(static_cast<std::uint32_t>(count), random);
  const auto label = permutation(static_cast<std::uint32_t>(values), random);
  for (std::uint32_t& d : drawn) d = label[d % values];
  return drawn;
}

}  // namespace firn::network
