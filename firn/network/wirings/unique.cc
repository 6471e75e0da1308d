// No pair twice, near features first. Every input is used where their number is even.
#include "firn/network/draw.h"
#include "firn/network/wiring.h"

namespace firn::network {

std::vector<WirePair> draw_unique_wiring(const LayerPlace& place, std::size_t gates, RandomSequence& random) {
  const auto inputs = static_cast<std::uint32_t>(place.input.size());
  check_enough_pairs(inputs, gates);
  std::vector<WirePair> pairs;
  // Disjoint neighbours first, so that every input is used, then the other neighbours, then wider and wider offsets.
  for (std::uint32_t first : {0u, 1u})
    for (std::uint32_t i = first; i + 1 < inputs && pairs.size() < gates; i += 2) pairs.push_back({i, i + 1});
  for (std::uint32_t offset = 2; offset < inputs && pairs.size() < gates; ++offset)
    for (std::uint32_t i = 0; i + offset < inputs && pairs.size() < gates; ++i) pairs.push_back({i, i + offset});
  shuffle(pairs, random);
  return pairs;
}

}  // namespace firn::network
