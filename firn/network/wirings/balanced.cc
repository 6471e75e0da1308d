// Every wire equally often, as either operand. The first layer pairs neighbours of the image, whose bits say something
// together; the layers above it pair random wires.
#include <numeric>

#include "firn/network/draw.h"
#include "firn/network/rings.h"

namespace firn::network {

std::vector<WirePair> draw_balanced_wiring(const LayerPlace& place, std::size_t gates, RandomSequence& random) {
  const std::size_t inputs = place.input.size();
  std::vector<WirePair> pairs;
  std::vector<std::uint32_t> order;
  if (place.level == 0) {
    SemanticOrder semantic = semantic_order(place.input, place.bits_per_value);
    pairs = draw_rings(inputs, gates, neighbour_steps(semantic, gates / inputs + 1), random);
    order = std::move(semantic.features);
  } else {
    std::vector<std::size_t> steps(gates / inputs + 1);
    std::iota(steps.begin(), steps.end(), std::size_t{1});
    order = permutation(static_cast<std::uint32_t>(inputs), random);
    pairs = draw_rings(inputs, gates, steps, random);
  }
  for (WirePair& pair : pairs) pair = {order[pair.a], order[pair.b]};
  deal_to_groups(pairs, place.groups, random);
  return pairs;
}

}  // namespace firn::network
