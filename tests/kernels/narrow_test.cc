#include "firn/kernels/narrow.h"

#include <gtest/gtest.h>

#include <vector>

#include "firn/base/random.h"
#include "tests/kernels/gate_kinds.h"

namespace firn {
namespace {

constexpr std::uint32_t kInputs = 16;

// Runs of 1 to 9 instructions of every kind, which read the inputs and what was computed shortly before, also in the
// same run.
struct NarrowCase {
  NarrowCase() {
    RandomSequence random(1, "test/narrow");
    for (const KindCase& kind : all_kinds()) {
      const auto count = static_cast<std::uint32_t>(1 + runs.size() % 9);
      runs.push_back({static_cast<std::uint32_t>(kind.kind), count});
      for (std::uint32_t i = 0; i < count; ++i) {
        for (int o = 0; o < gate_kind::operands(kind.kind); ++o)
          operands.push_back(random.below(2) == 0 ? random.below(kInputs) : rows - 1 - random.below(kInputs));
        ++rows;
      }
    }
  }

  template <class Row>
  std::vector<Row> random_rows() const {
    RandomSequence random(2, "test/narrow");
    std::vector<Row> values(rows);
    for (Row& value : values) value = static_cast<Row>(std::uint64_t{random.next()} << 32 | random.next());
    return values;
  }

  template <class Row>
  std::vector<Row> expected() const {
    std::vector<Row> values = random_rows<Row>();
    const std::uint32_t* at = operands.data();
    std::size_t out = kInputs, run = 0;
    for (const KindCase& kind : all_kinds())
      for (std::uint32_t i = 0, count = runs[run++].count; i < count; ++i) {
        values[out++] = static_cast<Row>(value_of(kind, [&](int o) { return std::uint64_t{values[at[o]]}; }));
        at += gate_kind::operands(kind.kind);
      }
    return values;
  }

  std::vector<GateRun> runs;
  std::vector<std::uint32_t> operands;
  std::uint32_t rows = kInputs;
};

template <class Row>
void expect_every_kind() {
  const NarrowCase narrow;
  const std::vector<std::uint16_t> short_operands(narrow.operands.begin(), narrow.operands.end());
  std::vector<Row> with_short = narrow.random_rows<Row>(), with_long = with_short;
  run_narrow_gates({narrow.runs.data(), narrow.runs.size(), short_operands.data(), nullptr, kInputs},
                   with_short.data());
  run_narrow_gates({narrow.runs.data(), narrow.runs.size(), nullptr, narrow.operands.data(), kInputs},
                   with_long.data());
  EXPECT_EQ(with_short, narrow.expected<Row>());
  EXPECT_EQ(with_long, narrow.expected<Row>());
}

TEST(NarrowGates, EveryKindOfInstruction) {
  expect_every_kind<std::uint8_t>();
  expect_every_kind<std::uint64_t>();
}

TEST(NarrowCounts, PlainAndInvertedRowsOfUpToEightSamples) {
  for (std::size_t samples = 1; samples <= 8; ++samples)
    for (const std::size_t plain : {0, 1, 2, 255, 256, 1000})
      for (const std::size_t inverted : {0, 1, 255, 700}) {
        RandomSequence random(plain + inverted, "test/counts");
        std::vector<std::uint8_t> rows(40);
        // Sample 0 is always set, as far as counters can overflow.
        for (std::uint8_t& row : rows) row = static_cast<std::uint8_t>((random.next() | 1) & ((1u << samples) - 1));
        std::vector<std::uint32_t> literals;
        for (std::uint32_t i = 0; i < plain; ++i) literals.push_back(2 * (i * 7 % 40));
        for (std::uint32_t i = 0; i < inverted; ++i) literals.push_back(2 * (i * 3 % 40) + 1);
        std::vector<std::uint32_t> counts(samples, 99), expected(samples, 5);
        count_narrow_rows({literals.data(), plain, inverted, 5}, samples, rows.data(), counts.data());
        for (std::size_t s = 0; s < samples; ++s)
          for (const std::uint32_t literal : literals) expected[s] += (rows[literal / 2] >> s & 1) != literal % 2;
        ASSERT_EQ(counts, expected) << samples << " samples, " << plain << " + " << inverted;
      }
}

}  // namespace
}  // namespace firn
