// Circuits on bits: runs of gate instructions over rows, counts of rows kept in bit planes, and the largest count.
#pragma once

#include <cstddef>
#include <cstdint>

namespace firn::kernels {

// An instruction reads two, three or four rows and writes one: a gate, or a gate with one or both of the gates before
// it, whose values then stay in registers.
namespace gate_kind {

// The four operations that every two-input gate is made of, up to inverters at its output.
inline constexpr int kAnd = 0, kOr = 1, kAndNot = 2, kXor = 3;  // kAndNot: x and not y
inline constexpr int kOperations = 4;
inline constexpr int kNotAnd = 4;  // not x and y: as an outer operation of `chain` only
inline constexpr int kOuterOperations = 5;

constexpr int gate(int operation) {  // rows a b -> operation(a, b)
  return operation;
}
constexpr int chain(int inner, int outer) {  // rows a b c -> outer(inner(a, b), c)
  return kOperations + inner * kOuterOperations + outer;
}
constexpr int pair(int left, int right, int outer) {  // rows a b c d -> outer(left(a, b), right(c, d))
  return kOperations * (1 + kOuterOperations) + (left * kOperations + right) * kOperations + outer;
}
inline constexpr int kCount = pair(kXor, kXor, kXor) + 1;

// Where the order of the two inner gates does not matter, the one with the lower number comes first; the kinds with the
// other order are not used.
constexpr bool is_used(int kind) {
  if (kind < pair(0, 0, 0)) return true;
  const int code = kind - pair(0, 0, 0), inner = code / kOperations;
  return code % kOperations == kAndNot || inner / kOperations <= inner % kOperations;
}

constexpr int operands(int kind) {
  return kind < chain(0, 0) ? 2 : kind < pair(0, 0, 0) ? 3 : 4;
}
constexpr int gates(int kind) {
  return operands(kind) - 1;
}

}  // namespace gate_kind

// Consecutive instructions of one kind.
struct GateRun {
  std::uint32_t kind = 0, count = 0;
};

// The rows of an instruction follow each other: operands, then the result. The result may be one of the operands.
// Exactly one of the two arrays is used; small numbers take less room in the cache.
struct GateProgram {
  const GateRun* runs = nullptr;
  std::size_t run_count = 0;
  const std::uint16_t* short_rows = nullptr;
  const std::uint32_t* long_rows = nullptr;
};

// rows: [row][words]; words is 2, 4 or a multiple of 8, and rows are aligned to 16, 32 or 64 bytes. Every kind is used.
void run_gates(const GateProgram& program, std::size_t words, std::uint64_t* rows);

// Rows to be counted together: where a row's literal (2 * row + inverted) is odd, its zeros count.
struct CountGroup {
  const std::uint32_t* literals = nullptr;  // inverted ones behind the others
  std::size_t plain = 0, inverted = 0;      // how many of each
  std::uint32_t base = 0;                   // what the count starts from
};

// Writes the count of every sample in bit planes: plane p of the group holds bit p. `planes` of them must be enough for
// base + plain + inverted. out: [planes][words]. What follows takes rows of one word as well.
void count_rows(const CountGroup& group, std::size_t planes, std::size_t words, const std::uint64_t* rows,
                std::uint64_t* out);

// The number of the group with the largest count, the lowest on ties, for each of 64 * words samples.
// counts: [groups][planes][words]; there are at most 65,536 groups.
void largest_group(std::size_t groups, std::size_t planes, std::size_t words, const std::uint64_t* counts,
                   std::uint16_t* numbers);

// Bit planes of one group as plain numbers: counts[s] for each of 64 * words samples. At most 32 planes.
void unpack_counts(std::size_t planes, std::size_t words, const std::uint64_t* group, std::uint32_t* counts);

}  // namespace firn::kernels
