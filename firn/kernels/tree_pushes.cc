#include "firn/kernels/tree_pushes.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace firn::kernels {

namespace {

// What a leaf reads at one placement of the pool, for output (0, 0).
struct Source {
  std::size_t plane, line, column;
  std::uint8_t leaf, placement;
};

}  // namespace

TreePushes::TreePushes(const Placements& places, std::span<const std::uint32_t> leaves, std::size_t leaves_per_tree) {
  const std::size_t pool = 2 * places.stride;  // input lines from one output to the next
  // Sources read the same rows, through different outputs, where they are whole pools apart.
  const auto shared_rows = [&](const Source& s) { return std::tuple(s.plane, s.line % pool, s.column % pool); };
  std::vector<Source> sources;
  std::vector<unsigned> ready;  // placements of each leaf that have to wait for no other leaf
  for (std::size_t first = 0; first < leaves.size(); first += leaves_per_tree) {
    first_step_.push_back(static_cast<std::uint32_t>(steps_.size()));
    sources.clear();
    for (std::size_t l = 0; l < leaves_per_tree; ++l)
      for (std::size_t p = 0; p < 4; ++p) {
        const std::size_t row = leaves[first + l] + (p / 2 * places.in_line + p % 2) * places.stride;
        const std::size_t place = row % places.in_plane;
        planes_ = std::max(planes_, row / places.in_plane + 1);
        sources.push_back({row / places.in_plane, place / places.in_line, place % places.in_line,
                           static_cast<std::uint8_t>(l), static_cast<std::uint8_t>(p)});
      }
    // The further down or right a source lies, the earlier is the output through which it reads a certain row.
    std::ranges::sort(sources, {}, [&](const Source& s) {
      return std::tuple(shared_rows(s), ~s.line, ~s.column, s.placement, s.leaf);
    });
    ready.assign(leaves_per_tree, 0);
    const auto follows = [&](std::size_t i) {
      return i > 0 && i < sources.size() && shared_rows(sources[i]) == shared_rows(sources[i - 1]);
    };
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (!follows(i)) ready[sources[i].leaf] |= 1u << sources[i].placement;
    for (std::size_t left = sources.size(); left > 0;) {
      const auto most =
          std::ranges::max_element(ready, {}, [](unsigned placements) { return std::popcount(placements); });
      PushStep step{.leaf = static_cast<std::uint8_t>(most - ready.begin())};
      const unsigned placements = std::exchange(*most, 0);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        if (sources[i].leaf != step.leaf || (placements >> sources[i].placement & 1) == 0) continue;
        step.placements[step.count++] = sources[i].placement;
        if (follows(i + 1)) ready[sources[i + 1].leaf] |= 1u << sources[i + 1].placement;
        --left;
      }
      steps_.push_back(step);
    }
  }
  first_step_.push_back(static_cast<std::uint32_t>(steps_.size()));
}

}  // namespace firn::kernels
