// The network on bits: rows `[feature][words]`, one sample per bit, many samples per operation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firn/logic/gate.h"

namespace firn::kernels {

// Trees of gates at every position of an image, with optional 2 x 2 OR-pooling. Numbering as in tree.h.
struct BitConv {
  int depth = 3;
  int pool = 1;
  std::size_t stride = 1;
  std::size_t filters = 0;
  const std::uint32_t* leaves = nullptr;  // [filters][2^depth] input row read at output position (0, 0)
  const std::uint8_t* gates = nullptr;    // [filters][2^depth - 1]
  std::size_t in_line = 0;
  std::size_t out_height = 1, out_width = 1;               // after pooling
  std::size_t out_first = 0, out_plane = 1, out_line = 1;  // output row = first + kernel * plane + y * line + x
};

// `words` is the length of a row, a multiple of 2; multiples of 8 run at full vector width.
void bit_conv(const BitConv& conv, std::size_t words, const std::uint64_t* in, std::uint64_t* out);

struct BitDense {
  std::size_t neurons = 0;
  const std::uint32_t* wires = nullptr;  // [neurons][2] input rows
  const std::uint8_t* gates = nullptr;   // [neurons]
};
void bit_dense(const BitDense& layer, std::size_t words, const std::uint64_t* in, std::uint64_t* out);

// Output (y, x) of one channel = OR of the 2 x 2 window at (2y, 2x); lines are in_line and out_line rows apart.
void bit_or_pool(std::size_t out_height, std::size_t out_width, std::size_t in_line, std::size_t out_line,
                 std::size_t words, const std::uint64_t* in, std::uint64_t* out);

// counts[g * 64 * words + s] = number of rows of group g (contiguous blocks of group_rows) whose bit s is set.
void count_bits(std::size_t groups, std::size_t group_rows, std::size_t words, const std::uint64_t* rows,
                std::uint32_t* counts);

// values[i] = bit (first + i) of the row as 0 or 1, for i in [0, samples). Both are multiples of 16.
void expand_bits(const std::uint64_t* row, std::size_t first, std::size_t samples, float* values);

}  // namespace firn::kernels
