#include "firn/kernels/circuit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/random.h"
#include "tests/kernels/gate_kinds.h"
#include "tests/support/each_target.h"

namespace firn {
namespace {

constexpr std::size_t kRowSizes[] = {2, 4, 8, 16, 24};
constexpr std::size_t kCountedRowSizes[] = {1, 2, 4, 8, 16, 24};

Matrix<std::uint64_t> random_planes(std::size_t rows, std::size_t words, std::uint64_t seed) {
  Matrix<std::uint64_t> bits(rows, words, std::min<std::size_t>(words * 8, 64));
  RandomSequence random(seed, "test/rows");
  for (std::size_t r = 0; r < rows; ++r)
    for (std::uint64_t& word : bits[r]) word = (std::uint64_t{random.next()} << 32) | random.next();
  return bits;
}

TEST(RunGates, EveryKindOfInstructionOnEveryTarget) {
  const auto cases = all_kinds();
  ASSERT_EQ(cases.size(), 4u + 20 + 46);
  // Two instructions of each kind: one to a fresh row, one that overwrites its own first operand.
  std::vector<GateRun> runs;
  std::vector<std::uint32_t> long_rows;
  std::uint32_t fresh = 8;
  for (const KindCase& c : cases) {
    runs.push_back({static_cast<std::uint32_t>(c.kind), 2});
    for (const bool in_place : {false, true}) {
      for (std::uint32_t o = 0; o < static_cast<std::uint32_t>(gate_kind::operands(c.kind)); ++o)
        long_rows.push_back((o * 3 + fresh) % 8);
      long_rows.push_back(in_place ? fresh % 8 : fresh);
      ++fresh;
    }
  }
  const std::vector<std::uint16_t> short_rows(long_rows.begin(), long_rows.end());
  each_target([&](const char* target) {
    for (const std::size_t words : kRowSizes) {
      const Matrix<std::uint64_t> start = random_planes(fresh, words, words);
      Matrix<std::uint64_t> expected = start, with_long = start, with_short = start;
      const std::uint32_t* at = long_rows.data();
      for (const KindCase& c : cases)
        for (int i = 0; i < 2; ++i) {
          const int operands = gate_kind::operands(c.kind);
          for (std::size_t w = 0; w < words; ++w) {
            expected[at[operands]][w] = value_of(c, [&](int o) { return expected[at[o]][w]; });
          }
          at += operands + 1;
        }
      run_gates({runs.data(), runs.size(), nullptr, long_rows.data()}, words, with_long.data());
      run_gates({runs.data(), runs.size(), short_rows.data(), nullptr}, words, with_short.data());
      for (std::size_t r = 0; r < fresh; ++r)
        for (std::size_t w = 0; w < words; ++w) {
          ASSERT_EQ(with_long[r][w], expected[r][w]) << target << " words " << words << " row " << r;
          ASSERT_EQ(with_short[r][w], expected[r][w]) << target << " words " << words << " row " << r;
        }
    }
  });
}

TEST(CountRows, PlainAndInvertedRowsOnEveryTarget) {
  each_target([](const char* target) {
    for (const std::size_t words : kCountedRowSizes)
      for (const std::size_t plain : {0, 1, 15, 16, 17, 100})
        for (const std::size_t inverted : {0, 1, 16, 37}) {
          const std::size_t base = plain % 7,
                            planes = std::max<std::size_t>(std::bit_width(base + plain + inverted), 1);
          Matrix<std::uint64_t> rows = random_planes(40, words, plain + inverted);
          for (std::size_t r = 0; r < 40; ++r) rows[r][0] = (rows[r][0] | 1) & ~std::uint64_t{2};  // extreme counts
          std::vector<std::uint32_t> literals;
          for (std::uint32_t i = 0; i < plain; ++i) literals.push_back(2 * (i * 7 % 40));
          for (std::uint32_t i = 0; i < inverted; ++i) literals.push_back(2 * (i * 3 % 40) + 1);
          Matrix<std::uint64_t> out(planes, words, std::min<std::size_t>(words * 8, 64));
          count_rows({literals.data(), plain, inverted, static_cast<std::uint32_t>(base)}, planes, words, rows.data(),
                     out.data());
          std::vector<std::uint32_t> counts(64 * words);
          unpack_counts(planes, words, out.data(), counts.data());
          for (std::size_t s = 0; s < 64 * words; ++s) {
            std::size_t expected = base;
            for (const std::uint32_t literal : literals)
              expected += (rows[literal / 2][s / 64] >> (s % 64) & 1) != literal % 2;
            ASSERT_EQ(counts[s], expected) << target << " words " << words << " " << plain << " + " << inverted;
          }
        }
  });
}

TEST(LargestGroup, TheLowestWinsTiesOnEveryTarget) {
  each_target([](const char* target) {
    for (const std::size_t words : kCountedRowSizes)
      for (const std::size_t groups : {1, 2, 3, 10, 17})
        for (const std::size_t planes : {1, 3, 11}) {
          const Matrix<std::uint64_t> counts = random_planes(groups * planes, words, groups);
          std::vector<std::uint16_t> numbers(64 * words, 99);
          largest_group(groups, planes, words, counts.data(), numbers.data());
          for (std::size_t s = 0; s < 64 * words; ++s) {
            std::size_t best = 0, best_count = 0;
            for (std::size_t g = 0; g < groups; ++g) {
              std::size_t count = 0;
              for (std::size_t p = 0; p < planes; ++p) count |= (counts[g * planes + p][s / 64] >> (s % 64) & 1) << p;
              if (g == 0 || count > best_count) {
                best = g;
                best_count = count;
              }
            }
            ASSERT_EQ(numbers[s], best) << target << " groups " << groups << " planes " << planes;
          }
        }
  });
}

}  // namespace
}  // namespace firn
