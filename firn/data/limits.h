// How much a data set may hold, wherever it comes from.
#pragma once

#include <cstddef>

namespace firn::data {

inline constexpr std::size_t kMaxClasses = 65535;  // labels are 16 bits, and a circuit counts no more groups

inline constexpr std::size_t kDeflateRatio = 1032;  // what deflate unpacks is at most this many times as large

}  // namespace firn::data
