// Steps add to each row of gradients in the order of outputs, placements and leaves, and all of them once.
#include "firn/kernels/tree_pushes.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "firn/base/random.h"

namespace firn {
namespace {

constexpr std::size_t kSide = 5;  // of the output

using Addition = std::array<std::size_t, 3>;  // output, placement, leaf

void check_order(std::size_t leaf_count, std::size_t planes, std::size_t window, std::size_t stride) {
  RandomSequence random(leaf_count + 20 * planes + 100 * window, "test/tree_pushes");
  Placements places;
  places.stride = stride;
  places.in_line = 2 * kSide * stride + window;
  places.in_plane = places.in_line * places.in_line;
  const auto any = [&](std::size_t below) { return random.below(static_cast<std::uint32_t>(below)); };
  std::vector<std::uint32_t> leaves;
  for (std::size_t l = 0; l < 3 * leaf_count; ++l)
    leaves.push_back(
        static_cast<std::uint32_t>(any(planes) * places.in_plane + any(window) * places.in_line + any(window)));
  const TreePushes pushes(places, leaves, leaf_count);
  for (std::size_t tree = 0; tree < 3; ++tree) {
    std::map<std::size_t, std::vector<Addition>> additions;  // to each row
    std::size_t count = 0;
    for (const PushStep& step : pushes[tree])
      for (std::size_t output = 0; output < kSide * kSide; ++output)
        for (std::size_t i = 0; i < step.count; ++i, ++count) {
          const std::size_t p = step.placements[i];
          const std::size_t line = 2 * (output / kSide) + p / 2, column = 2 * (output % kSide) + p % 2;
          const std::size_t first = leaves[tree * leaf_count + step.leaf];
          additions[first + stride * (line * places.in_line + column)].push_back({output, p, step.leaf});
        }
    EXPECT_EQ(count, 4 * leaf_count * kSide * kSide);
    for (const auto& [row, added] : additions) {
      EXPECT_TRUE(std::ranges::is_sorted(added));
      EXPECT_EQ(std::ranges::adjacent_find(added), added.end());
    }
  }
}

TEST(TreePushes, KeepTheOrderOfAdditionsToEachRow) {
  for (const std::size_t leaves : {2, 4, 8, 16})
    for (const std::size_t planes : {1, 2, 8})
      for (const std::size_t window : {1, 2, 3, 5})
        for (const std::size_t stride : {1, 2, 3}) {
          SCOPED_TRACE(fmt::format("{} leaves in {} planes, window {}, stride {}", leaves, planes, window, stride));
          check_order(leaves, planes, window, stride);
        }
}

TEST(TreePushes, TakeOneStepForLeavesThatAreInNobodysWay) {
  Placements places;
  places.in_line = 10;
  places.in_plane = 100;
  const std::vector<std::uint32_t> leaves = {0, 100, 200, 322};
  const TreePushes pushes(places, leaves, 4);
  EXPECT_EQ(pushes[0].size(), 4u);
  for (const PushStep& step : pushes[0]) EXPECT_EQ(step.count, 4);
}

}  // namespace
}  // namespace firn
