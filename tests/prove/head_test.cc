// The head that is built against its plain twin: proved where it is small, simulated where it is wide.
#include <gtest/gtest.h>

#include "firn/circuit/assemble.h"
#include "firn/circuit/largest.h"
#include "firn/circuit/simplify.h"
#include "firn/prove/equivalence.h"
#include "tests/support/plain_head.h"
#include "tests/support/random_netlists.h"

namespace firn {
namespace {

// A circuit that passes its inputs on, so that the head is all there is.
Netlist wires(std::size_t inputs) {
  NetBuilder builder(inputs);
  auto outputs = builder.inputs();
  return std::move(builder).take(std::move(outputs));
}

Netlist plain(std::size_t groups, std::size_t size) {
  NetBuilder builder(groups * size);
  Word number = plain_head::decide(builder, builder.inputs(), groups, class_bits(groups));
  Netlist netlist = std::move(builder).take(std::move(number));
  simplify(netlist);
  return netlist;
}

// The number as one wire for each class.
Netlist decoded(const Netlist& circuit, std::size_t groups) {
  NetBuilder builder(circuit.inputs);
  const std::vector<Wire> number = builder.embed(circuit, builder.inputs());
  std::vector<Wire> outputs;
  for (std::size_t g = 0; g < groups; ++g) {
    Wire is_class = kTrue;
    for (std::size_t b = 0; b < number.size(); ++b) is_class = builder.make_and(is_class, number[b] ^ (g >> b & 1) ^ 1);
    outputs.push_back(is_class);
  }
  return std::move(builder).take(std::move(outputs));
}

TEST(HeadTest, SmallHeadsAreProvedEqualToTheirPlainTwins) {
  for (const auto& [groups, size] : {std::pair{2u, 1u}, {2u, 5u}, {2u, 17u}, {3u, 4u}, {5u, 3u}, {7u, 2u}, {10u, 3u}}) {
    const Netlist twin = plain(groups, size), circuit = wires(groups * size);
    EXPECT_TRUE(check_equivalence(with_head(circuit, {.groups = groups}), twin).proved()) << groups << " x " << size;
    EXPECT_TRUE(
        check_equivalence(with_head(circuit, {.groups = groups}, HeadForm::kOneHot), decoded(twin, groups)).proved())
        << groups << " x " << size;
  }
}

// Either decision, whatever the width of the counts.
TEST(HeadTest, BothDecisionsAreProvedEqual) {
  for (const auto& [counts, bits] : {std::pair{2u, 6u}, {3u, 4u}, {5u, 3u}, {10u, 2u}}) {
    std::vector<Netlist> found;
    for (const Decision decision : {Decision::kElimination, Decision::kTournament}) {
      NetBuilder builder(counts * bits);
      std::vector<Word> words;
      for (std::size_t c = 0; c < counts; ++c) {
        words.emplace_back();
        for (std::size_t b = 0; b < bits; ++b) words.back().push_back(builder.input(c * bits + b));
      }
      Word outputs = largest_number(builder, words, decision, class_bits(counts));
      const Word one_hot = largest_one_hot(builder, words, decision);
      outputs.insert(outputs.end(), one_hot.begin(), one_hot.end());
      found.push_back(std::move(builder).take(std::move(outputs)));
    }
    EXPECT_TRUE(check_equivalence(found[0], found[1]).proved()) << counts << " of " << bits << " bits";
  }
}

// Ones of different frequency, so that counts are small, large and often equal.
Matrix<std::uint64_t> uneven_words(std::size_t rows, std::size_t words, std::uint64_t seed) {
  Matrix<std::uint64_t> bits = random_words(rows, words, seed);
  for (std::uint64_t more = 1; more <= 3; ++more) {
    const Matrix<std::uint64_t> other = random_words(rows, words, 100 * seed + more);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t w = 0; w < words; ++w)
        if (w % 7 > more) w % 2 == 0 ? void(bits[r][w] &= other[r][w]) : void(bits[r][w] |= other[r][w]);
  }
  return bits;
}

TEST(HeadTest, WideHeadsSimulateLikeTheirPlainTwins) {
  for (const auto& [groups, size] : {std::pair{10u, 31u}, {10u, 32u}, {10u, 256u}, {3u, 1000u}}) {
    const Netlist twin = plain(groups, size), circuit = wires(groups * size);
    const Netlist head = with_head(circuit, {.groups = groups});
    const Netlist one_hot = with_head(circuit, {.groups = groups}, HeadForm::kOneHot);
    const auto in = uneven_words(groups * size, 256, size);
    const auto expected = simulate(twin, in);
    ASSERT_TRUE(same_rows(simulate(head, in), expected)) << groups << " x " << size;
    ASSERT_TRUE(same_rows(simulate(one_hot, in), simulate(decoded(twin, groups), in))) << groups << " x " << size;
  }
}

}  // namespace
}  // namespace firn
