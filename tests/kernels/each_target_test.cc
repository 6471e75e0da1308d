#include "tests/support/each_target.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>

namespace firn {
namespace {

TEST(EachTarget, VisitsDifferentTargetsAndRestoresTheBest) {
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  const std::size_t best = hwy::GetChosenTarget().GetIndex();
  std::set<std::size_t> seen;
  std::size_t calls = 0;
  each_target([&](const char*) {
    seen.insert(hwy::GetChosenTarget().GetIndex());
    ++calls;
  });
  EXPECT_EQ(seen.size(), calls);
  EXPECT_TRUE(seen.contains(best));
  EXPECT_EQ(hwy::GetChosenTarget().GetIndex(), best);
}

}  // namespace
}  // namespace firn
