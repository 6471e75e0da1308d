// Rows in fewer bits than floats have, for layers that gather them at random.
#pragma once

#include <cstddef>
#include <cstdint>

namespace firn::kernels {

// Values from 0 to 1 at sixteen bits: a row of 32 samples is one cache line. Both bits are exact, and everything
// between is off by at most half a step, 2^-16. The order of samples within a row is the business of the kernels and
// depends on the instruction set.
using PackedValue = std::uint16_t;
inline constexpr float kPackedOne = 32768;

// Rows of bits, one per sample, of which a shard takes those from sample `first` on (a multiple of 16).
struct BitRows {
  const std::uint64_t* rows = nullptr;
  std::size_t words = 0;  // from one row to the next
  std::size_t first = 0;
};

}  // namespace firn::kernels
