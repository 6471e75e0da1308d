#include "firn/base/pairwise_tree.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace firn {
namespace {

// A "sum" that writes down what was added to what.
struct Written {
  std::string text;
  Written& operator+=(const Written& other) {
    text = "(" + text + other.text + ")";
    return *this;
  }
};

std::string tree_of(std::size_t count) {
  std::vector<Written> items;
  for (std::size_t i = 0; i < count; ++i) items.push_back({std::string(1, static_cast<char>('a' + i))});
  return pairwise_sum(std::span<const Written>(items)).text;
}

TEST(PairwiseTree, AddsNeighboursFirst) {
  EXPECT_EQ(tree_of(1), "a");
  EXPECT_EQ(tree_of(2), "(ab)");
  EXPECT_EQ(tree_of(3), "((ab)c)");
  EXPECT_EQ(tree_of(4), "((ab)(cd))");
  EXPECT_EQ(tree_of(5), "(((ab)(cd))e)");
  EXPECT_EQ(tree_of(7), "(((ab)(cd))((ef)g))");
}

}  // namespace
}  // namespace firn
