// Every input equally often, in random pairs. With half as many gates as inputs this is a perfect matching.
#include "firn/network/draw.h"
#include "firn/network/wiring.h"

namespace firn::network {

std::vector<WirePair> draw_random_wiring(const LayerPlace& place, std::size_t gates, RandomSequence& random) {
  const auto wires = draw_balanced(place.input.size(), 2 * gates, random);
  std::vector<WirePair> pairs;
  for (std::size_t g = 0; g < gates; ++g) pairs.push_back({wires[g], wires[gates + g]});
  return pairs;
}

}  // namespace firn::network
