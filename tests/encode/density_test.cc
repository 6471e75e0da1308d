#include "firn/encode/density.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>

namespace firn {
namespace {

TEST(BitDensities, CountsTheListedExamples) {
  // Feature f of example i is byte i % (f + 2): above 0 in all examples but each (f + 2)-th, starting with the first.
  const std::size_t n = 1290;
  Examples examples;
  Matrix<std::uint8_t> bytes(n, 3);
  examples.labels.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t f = 0; f < 3; ++f) bytes[i][f] = static_cast<std::uint8_t>(i % (f + 2));
  examples.bytes = std::move(bytes);
  EncoderParts parts{"uniform", "bytes", {3, 1, 1}, Matrix<float>(2, 1)};
  parts.thresholds[1][0] = 1;
  const Encoder encoder = Encoder::from_parts(std::move(parts));

  std::vector<std::uint32_t> indices(1200);  // two whole blocks and a short one
  std::iota(indices.begin(), indices.end(), 60);
  const Matrix<double> densities = bit_densities(encoder, examples, indices);
  ASSERT_EQ(densities.rows(), 2u);
  EXPECT_DOUBLE_EQ(densities[0][0], 1.0 / 2);
  EXPECT_DOUBLE_EQ(densities[0][1], 2.0 / 3);
  EXPECT_DOUBLE_EQ(densities[0][2], 3.0 / 4);
  EXPECT_DOUBLE_EQ(densities[1][0], 0.0);
  EXPECT_DOUBLE_EQ(densities[1][1], 1.0 / 3);
  EXPECT_DOUBLE_EQ(densities[1][2], 2.0 / 4);
}

TEST(BitDensities, CountsReals) {
  Examples examples;
  Matrix<float> reals(3, 1);
  examples.labels.resize(3);
  for (std::size_t i = 0; i < 3; ++i) reals[i][0] = static_cast<float>(i);
  examples.reals = std::move(reals);
  EncoderParts parts{"distributive", "reals", {1, 1, 1}, Matrix<float>(1, 1)};
  parts.thresholds[0][0] = 0.5f;
  const std::vector<std::uint32_t> indices = {0, 2};
  EXPECT_DOUBLE_EQ(bit_densities(Encoder::from_parts(std::move(parts)), examples, indices)[0][0], 0.5);
}

}  // namespace
}  // namespace firn
