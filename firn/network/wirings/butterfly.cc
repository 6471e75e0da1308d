// Regular pairs from local to global: layer l pairs wires whose pixels are 2^l apart, in turns along lines and columns
// of the image, as the butterflies of a fast Fourier transform do. The outputs after L layers have seen 2^L different
// inputs each, and no two outputs the same ones, as long as there are enough of them.
#include "firn/network/rings.h"

namespace firn::network {

namespace {

// Steps of layer l > 0. Outputs of a layer stand in the order of what they read, so that pixels are still next to each
// other, only with more or fewer wires each. When distances reach half of the image they start again, with lines and
// columns exchanged. Steps are whole pixels, so that bits of the same channel meet: steps that depend on the seed and
// mix channels were no better on CIFAR-10 (4 x 12,000 gates, 1,500 steps, three seeds).
std::vector<std::size_t> far_steps(const SemanticOrder& ground, std::size_t level, std::size_t wires) {
  const std::size_t sites = ground.sites(), round = ground.doublings();
  const std::size_t distance = std::size_t{1} << level % round;
  const std::size_t along_line = distance * wires / sites;
  const std::size_t along_column = ground.has_lines() ? distance * ground.line * wires / sites : along_line;
  const bool is_line = (level % round + level / round) % 2 == 0;
  return is_line ? std::vector{along_line, along_column} : std::vector{along_column, along_line};
}

}  // namespace

std::vector<WirePair> draw_butterfly_wiring(const LayerPlace& place, std::size_t gates, RandomSequence& random) {
  const std::size_t wires = place.input.size();
  const SemanticOrder ground = semantic_order(place.level == 0 ? place.input : place.image, place.bits_per_value);
  const auto steps =
      place.level == 0 ? neighbour_steps(ground, gates / wires + 1) : far_steps(ground, place.level, wires);
  auto pairs = draw_rings(wires, gates, steps, random);
  if (place.level == 0)
    for (WirePair& pair : pairs) pair = {ground.features[pair.a], ground.features[pair.b]};
  deal_to_groups(pairs, place.groups, random);
  return pairs;
}

}  // namespace firn::network
