#include "firn/kernels/bits.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/random.h"
#include "tests/support/each_target.h"

namespace firn {
namespace {

Matrix<std::uint64_t> random_bits(std::size_t rows, std::size_t words, std::uint64_t seed) {
  Matrix<std::uint64_t> bits(rows, words, 16);
  RandomSequence random(seed, "test/bits");
  for (std::size_t r = 0; r < rows; ++r)
    for (std::uint64_t& w : bits[r]) w = (std::uint64_t{random.next()} << 32) | random.next();
  return bits;
}

bool bit(const std::uint64_t* row, std::size_t s) {
  return (row[s / 64] >> (s % 64)) & 1;
}

TEST(CountBits, MatchesALoop) {
  each_target([](const char* target) {
    for (const std::size_t words : {2, 6, 8, 16})
      for (const std::size_t group : {1, 2, 3, 31, 64, 100}) {
        Matrix<std::uint64_t> rows = random_bits(3 * group, words, group);
        for (std::size_t r = 0; r < group; ++r) rows.row(r)[0] |= 1;  // one sample that counts them all
        std::vector<std::uint32_t> counts(3 * 64 * words, 7);
        count_bits(3, group, words, rows.data(), counts.data());
        EXPECT_EQ(counts[0], group) << target;
        for (std::size_t g = 0; g < 3; ++g)
          for (std::size_t s = 0; s < 64 * words; ++s) {
            std::uint32_t expected = 0;
            for (std::size_t r = g * group; r < (g + 1) * group; ++r) expected += bit(rows.row(r), s);
            ASSERT_EQ(counts[g * 64 * words + s], expected) << target << " words " << words << " group " << group;
          }
      }
  });
}

TEST(ExpandBits, MatchesALoop) {
  each_target([](const char* target) {
    const Matrix<std::uint64_t> row = random_bits(1, 4, 2);
    for (std::size_t first = 0; first < 256; first += 16)
      for (std::size_t samples = 16; first + samples <= 256; samples += 16) {
        Matrix<float> values(1, samples);
        expand_bits(row.data(), first, samples, values.data());
        for (std::size_t i = 0; i < samples; ++i) ASSERT_EQ(values[0][i], bit(row.data(), first + i)) << target;
      }
  });
}

TEST(BitOrPool, MatchesALoop) {
  const Matrix<std::uint64_t> in = random_bits(4 * 7, 2, 3);  // lines of 7 rows, of which 6 are pooled
  Matrix<std::uint64_t> out(2 * 4, 2, 16);                    // lines of 4 rows, of which 3 are written
  bit_or_pool(2, 3, 7, 4, 2, in.data(), out.data());
  for (std::size_t y = 0; y < 2; ++y)
    for (std::size_t x = 0; x < 4; ++x)
      for (std::size_t w = 0; w < 2; ++w) {
        std::uint64_t expected = 0;
        for (std::size_t p = 0; p < 4 && x < 3; ++p) expected |= in[(2 * y + p / 2) * 7 + 2 * x + p % 2][w];
        EXPECT_EQ(out[y * 4 + x][w], expected);
      }
}

}  // namespace
}  // namespace firn
