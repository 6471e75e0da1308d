#include "firn/circuit/builder.h"

#include <gtest/gtest.h>

#include <bit>

#include "tests/support/random_netlists.h"

namespace firn {
namespace {

// All assignments of up to six inputs fit in one word.
Matrix<std::uint64_t> all_assignments(std::size_t inputs) {
  Matrix<std::uint64_t> bits(inputs, 1);
  for (std::size_t i = 0; i < inputs; ++i)
    for (std::uint64_t s = 0; s < 64; ++s) bits[i][0] |= (s >> i & 1) << s;
  return bits;
}

TEST(NetBuilderTest, MakesEveryGateOfEveryPairOfOperands) {
  NetBuilder builder(2);
  const std::vector<Wire> operands = {kFalse,           kTrue, builder.input(0), !builder.input(0), builder.input(1),
                                      !builder.input(1)};
  Netlist plain{2, {}, {}};
  std::vector<Wire> outputs;
  for (int op = 0; op < kGates; ++op)
    for (Wire a : operands)
      for (Wire b : operands) {
        plain.gates.push_back({a, b, static_cast<Gate>(op), 0});
        plain.outputs.push_back(plain.gate(plain.gates.size() - 1));
        outputs.push_back(builder.make(static_cast<Gate>(op), a, b));
      }
  const auto in = all_assignments(2);
  const auto expected = simulate(plain, in);
  const Netlist built = std::move(builder).take(outputs);
  EXPECT_TRUE(same_rows(simulate(built, in), expected));
  EXPECT_TRUE(is_canonical(built));
  EXPECT_LE(built.gates.size(), 5u);  // four ANDs and one XOR are all there is on two inputs
}

TEST(NetBuilderTest, EmbeddingKeepsTheFunction) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Netlist netlist = random_netlist(5, 30, 4, seed);
    NetBuilder builder(5);
    auto outputs = builder.embed(netlist, builder.inputs());
    const Netlist copy = std::move(builder).take(std::move(outputs));
    ASSERT_TRUE(same_rows(simulate(copy, all_assignments(5)), simulate(netlist, all_assignments(5)))) << seed;
    ASSERT_TRUE(is_canonical(copy)) << seed;
  }
}

TEST(NetBuilderTest, CountsOnes) {
  for (std::size_t n = 1; n <= 6; ++n) {
    NetBuilder builder(n);
    Word sum = count_ones(builder, builder.inputs());
    EXPECT_EQ(sum.size(), static_cast<std::size_t>(std::bit_width(n)));
    const auto out = simulate(std::move(builder).take(sum), all_assignments(n));
    for (std::uint64_t s = 0; s < std::uint64_t{1} << n; ++s) {
      std::uint64_t count = 0;
      for (std::size_t b = 0; b < out.rows(); ++b) count |= (out[b][0] >> s & 1) << b;
      EXPECT_EQ(count, static_cast<std::uint64_t>(std::popcount(s))) << n << " inputs, assignment " << s;
    }
  }
}

TEST(NetBuilderTest, ComparesNumbers) {
  NetBuilder builder(6);
  const std::vector<Wire> in = builder.inputs();
  const Word a(in.begin(), in.begin() + 3), b(in.begin() + 3, in.end());
  const auto out = simulate(std::move(builder).take({is_greater(builder, a, b)}), all_assignments(6));
  for (std::uint64_t s = 0; s < 64; ++s) EXPECT_EQ(out[0][0] >> s & 1, (s & 7) > (s >> 3) ? 1u : 0u) << s;
}

TEST(NetBuilderTest, FindsAnyAndChooses) {
  for (std::size_t n = 0; n <= 6; ++n) {
    NetBuilder builder(6);
    const std::vector<Wire> in = builder.inputs();
    const Wire any = any_of(builder, std::span(in).first(n)), chosen = builder.choose(in[0], in[1], !in[2]);
    const auto out = simulate(std::move(builder).take({any, chosen}), all_assignments(6));
    for (std::uint64_t s = 0; s < 64; ++s) {
      EXPECT_EQ(out[0][0] >> s & 1, (s & ((1u << n) - 1)) != 0 ? 1u : 0u) << n << " wires, assignment " << s;
      EXPECT_EQ(out[1][0] >> s & 1, (s & 1) != 0 ? s >> 1 & 1 : ~s >> 2 & 1) << s;
    }
  }
}

TEST(NetBuilderTest, LevelsAreThoseOfAndGates) {
  NetBuilder builder(3);
  const Wire either = builder.make_xor(builder.input(0), builder.input(1));
  EXPECT_EQ(builder.level(kTrue), 0u);
  EXPECT_EQ(builder.level(builder.input(2)), 0u);
  EXPECT_EQ(builder.level(!either), 2u);
  EXPECT_EQ(builder.level(builder.make_and(either, builder.input(2))), 3u);
}

TEST(NetBuilderTest, XorsSpelledOutAsAndsAreFound) {
  NetBuilder builder(2);
  const Wire p = builder.input(0), q = !builder.input(1);
  const Wire either = builder.make_and(!builder.make_and(p, q), !builder.make_and(!q, !p));
  EXPECT_EQ(either, builder.make_xor(p, q));
  EXPECT_NE(builder.make_and(!builder.make_and(p, q), !builder.make_and(!p, q)), builder.make_xor(p, q));
}

}  // namespace
}  // namespace firn
