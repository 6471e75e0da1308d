#include "firn/prove/equivalence.h"

#include <gtest/gtest.h>

#include "firn/circuit/builder.h"
#include "firn/circuit/recover_xors.h"
#include "firn/circuit/simplify.h"
#include "tests/support/random_netlists.h"

namespace firn {
namespace {

TEST(EquivalenceTest, EveryPassIsProvedOnAThousandRandomNetlists) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const Netlist netlist = random_netlist(8, 60, 5, seed);
    Netlist in_turn = netlist;
    for (const Pass& pass : passes()) {
      Netlist alone = netlist;
      pass.run(alone);
      pass.run(in_turn);
      for (const Netlist* changed : {&alone, &in_turn}) {
        const Equivalence result = check_equivalence(netlist, *changed, {.patterns = 64});
        ASSERT_TRUE(result.proved()) << pass.name << ", seed " << seed;
        ASSERT_EQ(result.by_structure + result.by_proof, 5u);
        const Equivalence by_solver = check_equivalence(netlist, *changed, {.patterns = 64, .sharing = false});
        ASSERT_TRUE(by_solver.proved()) << pass.name << ", seed " << seed;
        ASSERT_EQ(by_solver.by_proof, 5u);
      }
    }
    simplify(in_turn);
    recover_xors(in_turn);
    ASSERT_EQ(check_equivalence(netlist, in_turn, {.sharing = false}).by_proof, 5u) << seed;
  }
}

TEST(EquivalenceTest, CircuitsThatLookNothingAlikeAreProvedEqual) {
  // The same sum by two different adders: in order, and in reverse.
  for (std::size_t n = 2; n <= 24; n += 11) {
    NetBuilder first(n), second(n);
    std::vector<Wire> forward = first.inputs(), backward(forward.rbegin(), forward.rend());
    const Word a = count_ones(first, forward), b = count_ones(second, backward);
    const Netlist x = std::move(first).take(a), y = std::move(second).take(b);
    const Equivalence result = check_equivalence(x, y);
    EXPECT_TRUE(result.proved()) << n;
    EXPECT_EQ(result.by_proof > 0, n > 2) << n;
  }
}

TEST(EquivalenceTest, ADifferenceOnASingleAssignmentIsFoundByProof) {
  // An AND of thirty inputs against constant false: random patterns never see the difference.
  constexpr std::size_t kInputs = 30;
  NetBuilder builder(kInputs);
  Wire all = kTrue;
  for (Wire input : builder.inputs()) all = builder.make_and(all, input);
  const Netlist conjunction = std::move(builder).take({all});
  const Netlist nothing{kInputs, {}, {kFalse}};
  for (const bool sharing : {true, false}) {
    const Equivalence result = check_equivalence(conjunction, nothing, {.sharing = sharing});
    ASSERT_TRUE(result.difference);
    EXPECT_EQ(result.difference->inputs, std::vector<bool>(kInputs, true));
    EXPECT_TRUE(result.difference->first);
    EXPECT_FALSE(result.difference->second);
  }
}

TEST(EquivalenceTest, WitnessesAreTrueAndVerdictsAgreeWithExhaustion) {
  std::size_t different = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Netlist a = random_netlist(6, 40, 2, seed);
    Netlist b = a;
    RandomSequence random(seed, "mutate");
    NetGate& gate = b.gates[random.below(40)];
    gate.op = static_cast<Gate>((static_cast<unsigned>(gate.op) + 1 + random.below(15)) % kGates);
    Matrix<std::uint64_t> all(6, 1);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::uint64_t s = 0; s < 64; ++s) all[i][0] |= (s >> i & 1) << s;
    const auto x = simulate(a, all), y = simulate(b, all);
    const bool same = same_rows(x, y);
    const Equivalence result = check_equivalence(a, b, {.patterns = 1, .sharing = seed % 2 == 0});
    ASSERT_EQ(result.proved(), same) << seed;
    if (same) continue;
    ++different;
    std::uint64_t s = 0;
    for (std::size_t i = 0; i < 6; ++i) s |= std::uint64_t{result.difference->inputs[i]} << i;
    const std::size_t o = result.difference->output;
    ASSERT_EQ((x[o][0] >> s & 1) != 0, result.difference->first);
    ASSERT_EQ((y[o][0] >> s & 1) != 0, result.difference->second);
    ASSERT_NE(result.difference->first, result.difference->second);
  }
  EXPECT_GT(different, 50u);
}

TEST(EquivalenceTest, TooLittleEffortIsNotAProof) {
  // Products in two orders: multipliers are hard for SAT.
  constexpr std::size_t kBits = 7;
  const auto multiply = [](NetBuilder& builder, const std::vector<Wire>& a, const std::vector<Wire>& b) {
    Word sum(2 * kBits, kFalse);
    for (std::size_t i = 0; i < kBits; ++i) {
      Wire carry = kFalse;
      for (std::size_t j = 0; i + j < 2 * kBits; ++j) {
        const Wire bit = j < kBits ? builder.make_and(a[i], b[j]) : kFalse, old = sum[i + j];
        const Wire half = builder.make_xor(old, bit);
        sum[i + j] = builder.make_xor(half, carry);
        carry = builder.make_or(builder.make_and(old, bit), builder.make_and(half, carry));
      }
    }
    return sum;
  };
  NetBuilder first(2 * kBits), second(2 * kBits);
  const std::vector<Wire> in = first.inputs();
  const std::vector<Wire> a(in.begin(), in.begin() + kBits), b(in.begin() + kBits, in.end());
  const Word ab = multiply(first, a, b), ba = multiply(second, b, a);
  const Netlist x = std::move(first).take(ab), y = std::move(second).take(ba);
  const Equivalence result = check_equivalence(x, y, {.merge_conflicts = 1, .output_conflicts = 1});
  EXPECT_FALSE(result.difference);
  EXPECT_GT(result.unknown, 0u);
  EXPECT_FALSE(result.proved());
}

}  // namespace
}  // namespace firn
