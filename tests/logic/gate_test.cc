#include "firn/logic/gate.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(Gate, UniformMixtureOfAllGatesIsOneHalf) {
  for (float a : {0.f, 0.3f, 1.f})
    for (float b : {0.f, 0.7f, 1.f}) {
      float sum = 0;
      for (int g = 0; g < kGates; ++g) {
        const auto c = coefficients(static_cast<Gate>(g));
        sum += c[0] + c[1] * a + c[2] * b + c[3] * a * b;
      }
      EXPECT_NEAR(sum / kGates, 0.5f, 1e-6f);
    }
}

TEST(Gate, NamesMatchTables) {
  EXPECT_EQ(name(Gate::kAnd), "a and b");
  EXPECT_EQ(name(Gate::kOrNot), "b implies a");
  EXPECT_TRUE(eval(Gate::kOrNot, 0, 0));
  EXPECT_FALSE(eval(Gate::kOrNot, 0, 1));
}

}  // namespace
}  // namespace firn
