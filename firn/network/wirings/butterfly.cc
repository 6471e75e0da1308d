// Regular pairs from local to global: layer l pairs wires whose pixels are 2^l apart, in turns along lines and columns
// of the image, as the butterflies of a fast Fourier transform do. The outputs after L layers have seen 2^L different
// inputs each, and no two outputs the same ones.
#include "firn/network/rings.h"

namespace firn::network {

namespace {

// Layer l > 0: outputs of layers are in the order of what they read, so that places are still pixels, stretched.
std::vector<std::size_t> far_steps(const SemanticOrder& ground, std::size_t level, std::size_t wires) {
  const std::size_t sites = ground.features.size() / ground.site, lines = sites / ground.line;
  const std::size_t farthest = std::max<std::size_t>(1, (lines > 1 ? std::min(lines, ground.line) : sites) / 2);
  const std::size_t distance = std::min(farthest, std::size_t{1} << std::min<std::size_t>(level, 20));
  const std::size_t along_line = distance * wires / sites,
                    along_column = lines > 1 ? along_line * ground.line : along_line;
  return level % 2 == 0 ? std::vector{along_line, along_column} : std::vector{along_column, along_line};
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
