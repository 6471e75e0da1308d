// Rows in fewer bits than floats have, for layers that gather them at random.
#pragma once

#include <cstdint>

namespace firn::kernels {

// Values from 0 to 1 at sixteen bits: a row of 32 samples is one cache line. Both bits are exact, and everything
// between is off by at most half a step, 2^-16. The order of samples within a row is the business of the kernels and
// depends on the instruction set.
using PackedValue = std::uint16_t;
inline constexpr float kPackedOne = 32768;

}  // namespace firn::kernels
