#include "firn/base/jet.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

// Derivatives of f along t at t = 0 by differences.
template <class Function>
Jet2 by_differences(const Function& f) {
  const double h = 1e-4, low = f(-h), mid = f(0), high = f(h);
  return {mid, (high - low) / (2 * h), (high - 2 * mid + low) / (h * h)};
}

// A path through x(0) with slope 0.7 and second derivative 0.4.
double path(double start, double t) {
  return start + 0.7 * t + 0.2 * t * t;
}

TEST(Jet2, FollowsProductsSumsAndFunctions) {
  const auto formula = [](const auto& x, const auto& y) {
    using std::exp, std::log, std::log1p;
    return log(exp(x * y) + exp(y - x)) * x + log1p(x * x) - y;
  };
  const Jet2 x(0.8, 0.7, 0.4), y(-1.3, -0.5, 0);
  const Jet2 exact = formula(x, y);
  const Jet2 rough = by_differences([&](double t) { return formula(path(0.8, t), -1.3 - 0.5 * t); });
  EXPECT_DOUBLE_EQ(exact.value, rough.value);
  EXPECT_NEAR(exact.first, rough.first, 1e-7);
  EXPECT_NEAR(exact.second, rough.second, 1e-6);
  EXPECT_GT(std::abs(exact.second), 0.1);
}

TEST(Jet2, ComparesByValueAlone) {
  EXPECT_FALSE(Jet2(1, 5, 0) > Jet2(1, 0, 0));
  EXPECT_TRUE(Jet2(1, 0, 0) < Jet2(2, -9, 0));
}

}  // namespace
}  // namespace firn
