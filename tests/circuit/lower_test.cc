#include "firn/circuit/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace firn {
namespace {

using testing::HasSubstr;

// One unit of so many gates at every pixel; what passes on its tap or combines it with itself.
BooleanNetwork one_unit_everywhere(std::size_t side, std::size_t gates) {
  BooleanLayer layer;
  LayerDescription& unit = layer.wiring;
  unit.input = unit.output = {1, side, side};
  unit.gates = gates;
  unit.operands.assign(2 * gates, 0);
  unit.tap_channel = {0, 0};
  layer.gates.assign(gates, Gate::kAnd);
  return {unit.input, {layer}, {}};
}

TEST(Lower, WhatIsTooLargeToUnrollIsRefusedInASentence) {
  const BooleanNetwork wide = one_unit_everywhere(8192, 31);
  check_network(wide, "wide");
  EXPECT_EQ(unrolled_gates(wide), std::size_t{31} << 26);
  EXPECT_THAT(error_of([&] { lower(wide); }), HasSubstr("2080374784 gates on 67108864 inputs"));
  EXPECT_EQ(lower(one_unit_everywhere(8, 31)).gates.size(), 31u * 64);
}

}  // namespace
}  // namespace firn
