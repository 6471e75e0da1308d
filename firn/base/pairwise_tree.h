// Sums in the order of a fixed tree over the index of what is added, so that anybody may form any part of it.
//
// Floating-point sums depend on their order. Here neighbours are added first (0 + 1, 2 + 3, ...), then neighbours among
// these sums, and so on; what is left without a neighbour moves up unchanged. The tree depends on the number of items
// and on nothing else: threads and ranks may own whatever they like and the bits stay the same.
#pragma once

#include <bit>
#include <cstddef>
#include <span>

#include "firn/base/rooms.h"

namespace firn {

// Where the tree over `count` > 1 items divides: the left part is the largest complete tree that leaves something over.
constexpr std::size_t tree_split(std::size_t count) {
  return std::bit_ceil(count) / 2;
}
static_assert(tree_split(2) == 1 && tree_split(3) == 2 && tree_split(4) == 2 && tree_split(5) == 4);

// The sum of one item or more.
template <class T>
T pairwise_sum(std::span<const T> items) {
  if (items.size() == 1) return items.front();
  const std::size_t split = tree_split(items.size());
  T sum = pairwise_sum(items.first(split));
  sum += pairwise_sum(items.subspan(split));
  return sum;
}

}  // namespace firn
