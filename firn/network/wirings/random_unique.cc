// No pair twice, over randomly relabelled inputs. Every input is used once there are as many gates as inputs.
#include "firn/network/draw.h"
#include "firn/network/wiring.h"

namespace firn::network {

std::vector<WirePair> draw_random_unique_wiring(const LayerPlace& place, std::size_t gates, RandomSequence& random) {
  const auto inputs = static_cast<std::uint32_t>(place.input.size());
  check_enough_pairs(inputs, gates);
  std::vector<WirePair> pairs;
  for (std::uint32_t offset = 1; offset < inputs && pairs.size() < gates; ++offset)
    for (std::uint32_t i = 0; i + offset < inputs && pairs.size() < gates; ++i) pairs.push_back({i, i + offset});
  shuffle(pairs, random);
  const auto label = permutation(inputs, random);
  for (WirePair& pair : pairs) pair = {label[pair.a], label[pair.b]};
  return pairs;
}

}  // namespace firn::network
