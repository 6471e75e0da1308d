#include "firn/circuit/constant_comparison.h"

#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "tests/support/random_netlists.h"

namespace firn {
namespace {

// Row b is bit b of the numbers from 0 on.
Matrix<std::uint64_t> all_numbers(std::size_t bits) {
  Matrix<std::uint64_t> rows(bits, bits > 6 ? std::size_t{1} << (bits - 6) : 1);
  for (std::size_t b = 0; b < bits; ++b)
    for (std::size_t n = 0; n < 64 * rows.cols(); ++n) rows[b][n / 64] |= std::uint64_t{n >> b & 1} << n % 64;
  return rows;
}

Netlist comparison(std::size_t bits, const std::vector<std::uint64_t>& constants) {
  NetBuilder builder(bits);
  std::vector<Wire> number;
  for (std::size_t b = 0; b < bits; ++b) number.push_back(builder.input(b));
  Word outputs = ConstantComparison(bits, constants).build(builder, number);
  return std::move(builder).take(std::move(outputs));
}

void expect_comparisons(std::size_t bits, const std::vector<std::uint64_t>& constants) {
  const auto found = simulate(comparison(bits, constants), all_numbers(bits));
  for (std::size_t c = 0; c < constants.size(); ++c)
    for (std::uint64_t n = 0; n < std::uint64_t{1} << bits; ++n)
      ASSERT_EQ(found[c][n / 64] >> n % 64 & 1, n > constants[c] ? 1u : 0u)
          << bits << ": " << n << " > " << constants[c];
}

// One chain for each constant, from the lowest bit up; equal beginnings are shared by the builder.
std::size_t gates_of_chains(std::size_t bits, const std::vector<std::uint64_t>& constants) {
  NetBuilder builder(bits);
  for (const std::uint64_t constant : constants) {
    Wire greater = kFalse;
    for (std::size_t b = 0; b < bits; ++b)
      greater =
          constant >> b & 1 ? builder.make_and(builder.input(b), greater) : builder.make_or(builder.input(b), greater);
  }
  return builder.gates();
}

TEST(ConstantComparisonTest, EveryNumberIsComparedWithEveryConstant) {
  for (const std::size_t bits : {1u, 2u, 5u, 8u}) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t c = 0; c < (std::uint64_t{1} << bits) + 2; ++c) {
      all.push_back(c);
      expect_comparisons(bits, {c});
    }
    expect_comparisons(bits, all);
  }
}

TEST(ConstantComparisonTest, SetsOfConstantsShareAndNeverCostMoreThanChains) {
  RandomSequence random(1, "test/constants");
  std::size_t shared = 0, chained = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> constants;
    for (std::uint32_t c = 1 + random.below(15); c > 0; --c) constants.push_back(random.below(256));
    expect_comparisons(8, constants);
    const std::size_t gates = comparison(8, constants).gates.size(), chains = gates_of_chains(8, constants);
    EXPECT_LE(gates, chains);
    shared += gates;
    chained += chains;
  }
  EXPECT_LT(10 * shared, 9 * chained);  // a tenth less, on average
}

TEST(ConstantComparisonTest, QuartilesOfCifarTakeFifteenGates) {
  EXPECT_EQ(comparison(8, {70, 117, 167}).gates.size(), 15u);
  EXPECT_EQ(comparison(8, {63, 127, 191}).gates.size(), 2u);
}

}  // namespace
}  // namespace firn
