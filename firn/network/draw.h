// Ways to draw that wirings share.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "firn/base/random.h"

namespace firn::network {

// Each of 0..values-1 equally often (as far as it divides) in random order, `count` numbers in all.
std::vector<std::uint32_t> draw_balanced(std::size_t values, std::size_t count, RandomSequence& random);

template <class Item>
void shuffle(std::vector<Item>& items, RandomSequence& random) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[random.below(static_cast<std::uint32_t>(i))]);
}

}  // namespace firn::network
