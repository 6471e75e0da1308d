// Counts of byte values, from which encodings take their quantiles.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firn/base/matrix.h"
#include "firn/encode/encoding.h"
#include "firn/encode/scope.h"

namespace firn::encode {

inline constexpr std::size_t kByteValues = 256;

// How often each byte value occurs in each group: [group][value].
Matrix<std::uint64_t> count_groups(const TrainingSplit& split, Scope scope);

}  // namespace firn::encode
