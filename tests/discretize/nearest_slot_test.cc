#include "firn/discretize/nearest_slot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "firn/base/random.h"

namespace firn {
namespace {

std::array<double, kSlots> weights_on(std::initializer_list<std::pair<Gate, double>> gates) {
  std::array<double, kSlots> weights{};
  for (const auto& [gate, weight] : gates) weights[static_cast<std::size_t>(gate)] = weight;
  return weights;
}

std::array<GateOnWires, kSlots> shared_pair() {
  std::array<GateOnWires, kSlots> slots;
  for (std::size_t k = 0; k < kSlots; ++k) slots[k] = {static_cast<Gate>(k), 0, 1};
  return slots;
}

std::array<std::size_t, kSlots> starting_with(std::size_t first) {
  std::array<std::size_t, kSlots> candidates;
  std::iota(candidates.begin(), candidates.end(), std::size_t{0});
  std::swap(candidates[0], candidates[first]);
  return candidates;
}

TEST(NearestSlot, TheGateNeedNotBeTheHeaviest) {
  // The table of this mixture is 0, .3, .6, 1: rounded, that is gate "a".
  const auto mixture = weights_on({{Gate::kAnd, 0.4}, {Gate::kOr, 0.3}, {Gate::kA, 0.3}});
  EXPECT_EQ(nearest_slot(shared_pair(), mixture, starting_with(1)), static_cast<std::size_t>(Gate::kA));
  const auto clear = weights_on({{Gate::kXor, 0.9}, {Gate::kTrue, 0.1}});
  EXPECT_EQ(nearest_slot(shared_pair(), clear, starting_with(6)), 6u);
}

TEST(NearestSlot, OnOwnWiresEqualsEnumeration) {
  RandomSequence random(4, "test/census");
  for (int round = 0; round < 20; ++round) {
    std::array<GateOnWires, kSlots> slots;
    std::array<double, kSlots> weights;
    double total = 0;
    for (std::size_t k = 0; k < kSlots; ++k) {
      slots[k] = {static_cast<Gate>(random.below(16)), random.below(5), random.below(5)};
      total += weights[k] = random.uniform() * random.uniform();
    }
    for (double& w : weights) w /= total;
    std::array<double, kSlots> distance{};
    for (unsigned bits = 0; bits < 32; ++bits) {
      const auto value = [&](std::size_t k) {
        return eval(slots[k].gate, (bits >> slots[k].a) & 1, (bits >> slots[k].b) & 1) ? 1.0 : 0.0;
      };
      double mixture = 0;
      for (std::size_t k = 0; k < kSlots; ++k) mixture += weights[k] * value(k);
      for (std::size_t k = 0; k < kSlots; ++k) distance[k] += std::pow(value(k) - mixture, 2) / 32;
    }
    const double least = *std::min_element(distance.begin(), distance.end());
    EXPECT_NEAR(distance[nearest_slot(slots, weights, starting_with(0))], least, 1e-12);
  }
}

TEST(NearestSlot, TheFirstCandidateWinsTies) {
  const auto even = weights_on({{Gate::kA, 0.5}, {Gate::kB, 0.5}});
  EXPECT_EQ(nearest_slot(shared_pair(), even, starting_with(3)), 3u);
  EXPECT_EQ(nearest_slot(shared_pair(), even, starting_with(5)), 5u);
}

}  // namespace
}  // namespace firn
