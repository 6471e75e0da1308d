// The program for blocks takes as long for one sample as for 128: it multiplies every row number by the width of a row
// and loops over the row, and 8,000 rows of 16 bytes are more than L1 holds. So a few samples have a program of their
// own. Values are bytes, of which those of a large circuit fit into L1; runs are as long as dependences allow, and
// results follow each other, which saves a third of the row numbers. What is left is two loads of numbers and two of
// values per gate, of which recent CPUs do three per cycle. Loading two numbers at once moves work from the loads to
// the arithmetic units; doing so for every other gate suits both best.
//
// Measured with 48,000 random gates on Golden Cove, in microseconds: 18.5; no numbers loaded in twos 21, all of
// them 19.5; explicit results 26; words instead of bytes 26. Sixteen gates at a time by AVX-512 gathers take 17, but
// there are CPUs on which gathers are several times slower than loads.
#include "firn/kernels/narrow.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "firn/base/error.h"

namespace firn::kernels {

namespace {

template <int kOperation, class Row>
Row apply(Row a, Row b) {
  if constexpr (kOperation == gate_kind::kAnd) return a & b;
  if constexpr (kOperation == gate_kind::kOr) return a | b;
  if constexpr (kOperation == gate_kind::kAndNot) return a & static_cast<Row>(~b);
  if constexpr (kOperation == gate_kind::kXor) return a ^ b;
  if constexpr (kOperation == gate_kind::kNotAnd) return static_cast<Row>(~a) & b;
}

// The gate of the first two rows, whose numbers are loaded at once where `kAtOnce` and they are short.
template <int kOperation, bool kAtOnce, class Row, class Number>
Row first_gate(const Number* at, const Row* rows) {
  if constexpr (kAtOnce && sizeof(Number) == 2 && std::endian::native == std::endian::little) {
    std::uint32_t both;
    std::memcpy(&both, at, sizeof both);
    return apply<kOperation, Row>(rows[both & 0xffff], rows[both >> 16]);
  } else {
    return apply<kOperation, Row>(rows[at[0]], rows[at[1]]);
  }
}

template <int kKind, bool kAtOnce, class Row, class Number>
Row value(const Number* at, const Row* rows) {
  using namespace gate_kind;
  if constexpr (operands(kKind) == 2) {
    return first_gate<kKind, kAtOnce>(at, rows);
  } else if constexpr (operands(kKind) == 3) {
    constexpr int kCode = kKind - chain(0, 0);
    return apply<kCode % kOuterOperations, Row>(first_gate<kCode / kOuterOperations, kAtOnce>(at, rows), rows[at[2]]);
  } else {
    constexpr int kCode = kKind - pair(0, 0, 0), kInner = kCode / kOperations;
    return apply<kCode % kOperations, Row>(first_gate<kInner / kOperations, true>(at, rows),
                                           apply<kInner % kOperations, Row>(rows[at[2]], rows[at[3]]));
  }
}

template <int kKind, class Row, class Number>
const Number* run_kind(const Number* __restrict at, std::size_t count, Row* rows, Row* out) {
  constexpr int kOperands = gate_kind::operands(kKind);
  constexpr std::size_t kUnrolled = 8;
  const auto run_some = [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    ((out[kIndex] = value<kKind, kIndex % 2 != 0, Row>(at + kIndex * kOperands, rows)), ...);
  };
  for (; count >= kUnrolled; count -= kUnrolled, at += kUnrolled * kOperands, out += kUnrolled)
    run_some(std::make_index_sequence<kUnrolled>());
  for (; count > 0; --count, at += kOperands, ++out) *out = value<kKind, true, Row>(at, rows);
  return at;
}

template <class Row, class Number>
using KindFunction = const Number* (*)(const Number*, std::size_t, Row*, Row*);

template <int kKind, class Row, class Number>
constexpr KindFunction<Row, Number> function_of() {
  if constexpr (gate_kind::is_used(kKind)) {
    return &run_kind<kKind, Row, Number>;
  } else {
    return nullptr;
  }
}

template <class Row, class Number, int... kKinds>
void run_all(const NarrowProgram& program, const Number* at, Row* rows, std::integer_sequence<int, kKinds...>) {
  static constexpr KindFunction<Row, Number> kFunctions[] = {function_of<kKinds, Row, Number>()...};
  Row* out = rows + program.first_result;
  for (const GateRun *run = program.runs, *end = run + program.run_count; run != end; ++run) {
    at = kFunctions[run->kind](at, run->count, rows, out);
    out += run->count;
  }
}

template <class Row>
void run(const NarrowProgram& program, Row* rows) {
  if (program.run_count == 0) return;
  FIRN_CHECK((program.short_operands == nullptr) != (program.long_operands == nullptr));
  const auto kinds = std::make_integer_sequence<int, gate_kind::kCount>();
  if (program.short_operands != nullptr) return run_all(program, program.short_operands, rows, kinds);
  run_all(program, program.long_operands, rows, kinds);
}

// Byte s of spread[b] is bit s of b: eight counters that fit into a register.
constexpr auto spread = [] {
  std::array<std::uint64_t, 256> table{};
  for (std::size_t b = 0; b < table.size(); ++b)
    for (std::size_t s = 0; s < 8; ++s) table[b] |= std::uint64_t{b >> s & 1} << 8 * s;
  return table;
}();

// Adds the rows of `count` literals to the counts of the samples.
void add_rows(const std::uint32_t* literals, std::size_t count, std::size_t samples, const std::uint8_t* rows,
              std::uint32_t* counts) {
  const auto row = [&](std::size_t r) { return rows[literals[r] / 2]; };
  if (samples == 1) {
    std::uint32_t sums[4] = {};  // several, so that an addition need not wait for the one before
    std::size_t r = 0;
    for (; r + 4 <= count; r += 4)
      for (std::size_t i = 0; i < 4; ++i) sums[i] += row(r + i);
    for (; r < count; ++r) sums[0] += row(r);
    counts[0] += sums[0] + sums[1] + sums[2] + sums[3];
    return;
  }
  constexpr std::size_t kMost = 255;  // that a byte can count
  for (std::size_t first = 0; first < count; first += kMost) {
    std::uint64_t sums = 0;
    for (std::size_t r = first, end = std::min(count, first + kMost); r < end; ++r) sums += spread[row(r)];
    for (std::size_t s = 0; s < samples; ++s) counts[s] += static_cast<std::uint8_t>(sums >> 8 * s);
  }
}

}  // namespace

void run_narrow_gates(const NarrowProgram& program, std::uint8_t* rows) {
  run(program, rows);
}

void run_narrow_gates(const NarrowProgram& program, std::uint64_t* rows) {
  run(program, rows);
}

void count_narrow_rows(const CountGroup& group, std::size_t samples, const std::uint8_t* rows, std::uint32_t* counts) {
  FIRN_CHECK(samples > 0 && samples <= 8);
  std::fill_n(counts, samples, 0);
  add_rows(group.literals + group.plain, group.inverted, samples, rows, counts);
  for (std::size_t s = 0; s < samples; ++s)
    counts[s] = group.base + static_cast<std::uint32_t>(group.inverted) - counts[s];
  add_rows(group.literals, group.plain, samples, rows, counts);
}

}  // namespace firn::kernels
