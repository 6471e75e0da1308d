#include "firn/kernels/probe.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/each_target.h"

namespace firn {
namespace {

TEST(ClockRate, BelievesTheSlowerChainAndSaysWhenTheyDisagree) {
  const ClockRate alike{3.1e9, 3.0e9};
  EXPECT_EQ(alike.hertz(), 3.0e9);
  EXPECT_TRUE(alike.is_plausible());
  const ClockRate shortened{3.1e9, 18.6e9};
  EXPECT_EQ(shortened.hertz(), 3.1e9);
  EXPECT_FALSE(shortened.is_plausible());
  const ClockRate quick_multiplier{4.5e9, 3.0e9};  // two cycles instead of three
  EXPECT_EQ(quick_multiplier.hertz(), 3.0e9);
  EXPECT_FALSE(quick_multiplier.is_plausible());
}

TEST(FmaRate, CountsVectorsOfEightFloats) {
  EXPECT_DOUBLE_EQ((FmaRate{96e9, {3e9, 3e9}}).per_cycle(), 4);
}

// How fast is nobody's business here: a machine may be busy. But every rate is there, on every target.
TEST(Probe, GivesEveryRate) {
  each_target([](const char* target) {
    const FmaRate fma = measure_fma_rate(0.001);
    for (const double rate : {fma.per_second, fma.per_cycle(), fma.clock.by_multiplications, fma.clock.by_additions,
                              measure_triad_rate(std::size_t{1} << 16, 0.001), measure_gate_rate(0.001)}) {
      EXPECT_GT(rate, 0) << target;
      EXPECT_TRUE(std::isfinite(rate)) << target;
    }
  });
}

}  // namespace
}  // namespace firn
