#include "firn/circuit/assemble.h"

#include <gtest/gtest.h>

#include "tests/support/random_netlists.h"
#include "tests/support/small_data.h"

namespace firn {
namespace {

constexpr std::size_t kSamples = 64;

// Bit planes of bytes: row 8 * f + b is bit b of feature f.
Matrix<std::uint64_t> planes_of(const Matrix<std::uint8_t>& samples) {
  Matrix<std::uint64_t> planes(8 * samples.cols(), 1);
  for (std::size_t s = 0; s < samples.rows(); ++s)
    for (std::size_t f = 0; f < samples.cols(); ++f)
      for (std::size_t b = 0; b < 8; ++b) planes[8 * f + b][0] |= (std::uint64_t{samples[s][f]} >> b & 1) << s;
  return planes;
}

TEST(AssembleTest, ComparatorsAreTheEncoder) {
  Matrix<float> thresholds(3, 2);
  const float values[] = {0, 17, 99, 128, 254, 255};
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t c = 0; c < 2; ++c) thresholds[t][c] = values[2 * t + c];
  const Encoder encoder = Encoder::from_parts({"distributive", "bytes", {2, 2, 1}, thresholds});
  const Matrix<std::uint8_t> samples = random_bytes(kSamples, 4, 1);
  Matrix<std::uint64_t> encoded(12, 1);
  encoder.encode_bits(SampleBlock(samples, 0, kSamples), encoded);
  const Netlist circuit = random_netlist(12, 60, 8, 1);
  EXPECT_TRUE(
      same_rows(simulate(with_encoder(circuit, comparators_of(encoder, natural_format(encoder))), planes_of(samples)),
                simulate(circuit, encoded)));
}

TEST(AssembleTest, TheLargestCountWinsAndTheLowestClassOnTies) {
  for (const std::size_t groups : {2u, 3u, 5u, 10u})
    for (const std::size_t size : {1u, 2u, 7u}) {
      const Netlist circuit = random_netlist(9, 150, groups * size, groups * size);
      const auto in = random_words(9, 1, size);
      const auto wires = simulate(circuit, in);
      const auto decision = simulate(with_head(circuit, {.groups = groups}), in);
      EXPECT_EQ(decision.rows(), class_bits(groups));
      const auto one_hot = simulate(with_head(circuit, {.groups = groups}, HeadForm::kOneHot), in);
      EXPECT_EQ(one_hot.rows(), groups);
      for (std::size_t s = 0; s < kSamples; ++s) {
        std::size_t best = 0, most = 0, found = 0;
        for (std::size_t g = 0; g < groups; ++g) {
          std::size_t count = 0;
          for (std::size_t o = g * size; o < (g + 1) * size; ++o) count += wires[o][0] >> s & 1;
          if (g == 0 || count > most) std::tie(best, most) = std::pair(g, count);
        }
        for (std::size_t b = 0; b < decision.rows(); ++b) found |= (decision[b][0] >> s & 1) << b;
        ASSERT_EQ(found, best) << groups << " groups of " << size << ", sample " << s;
        for (std::size_t g = 0; g < groups; ++g)
          ASSERT_EQ((one_hot[g][0] >> s & 1) != 0, g == best) << groups << " groups of " << size << ", class " << g;
      }
    }
}

TEST(AssembleTest, AValueIsTheCount) {
  for (const std::size_t size : {1u, 7u, 12u}) {
    const Netlist circuit = random_netlist(9, 150, size, size);
    const auto in = random_words(9, 1, size);
    const auto wires = simulate(circuit, in);
    const Head head{.groups = 1, .is_value = true};
    const auto count = simulate(with_head(circuit, head), in);
    ASSERT_EQ(count.rows(), head_bits(head, size));
    for (std::size_t s = 0; s < kSamples; ++s) {
      std::size_t expected = 0, found = 0;
      for (std::size_t o = 0; o < size; ++o) expected += wires[o][0] >> s & 1;
      for (std::size_t b = 0; b < count.rows(); ++b) found |= (count[b][0] >> s & 1) << b;
      ASSERT_EQ(found, expected) << size;
    }
  }
}

TEST(AssembleTest, OneGroupIsComparedWithTheThreshold) {
  const Netlist circuit = random_netlist(9, 150, 12, 3);
  const auto in = random_words(9, 1, 3);
  const auto wires = simulate(circuit, in);
  for (const Head& head : {Head{1, 0.1f, -0.6f, 0.f}, Head{1, 1, 0, 0.5f}, Head{1, 1, 1, 0.5f}, Head{1, 1, -100, 0}}) {
    const auto decision = simulate(with_head(circuit, head), in);
    for (std::size_t s = 0; s < kSamples; ++s) {
      std::size_t count = 0;
      for (std::size_t o = 0; o < 12; ++o) count += wires[o][0] >> s & 1;
      const bool expected = head.offset + head.factor * static_cast<float>(count) > head.threshold;
      ASSERT_EQ((decision[0][0] >> s & 1) != 0, expected) << count;
    }
    const auto one_hot = simulate(with_head(circuit, head, HeadForm::kOneHot), in);
    ASSERT_EQ(one_hot.rows(), 2u);
    EXPECT_EQ(one_hot[1][0], decision[0][0]);
    EXPECT_EQ(one_hot[0][0], ~decision[0][0]);
  }
}

TEST(AssembleTest, HeadsHaveNames) {
  EXPECT_EQ(parse_head_form("binary"), HeadForm::kBinary);
  EXPECT_EQ(parse_head_form("one-hot"), HeadForm::kOneHot);
  EXPECT_THROW(parse_head_form("unary"), Error);
  const Netlist circuit = random_netlist(9, 150, 12, 3);
  EXPECT_EQ(with_head(circuit, {}, HeadForm::kNone), circuit);
  EXPECT_THROW(with_head(circuit, {.is_value = true}, HeadForm::kOneHot), Error);
}

}  // namespace
}  // namespace firn
