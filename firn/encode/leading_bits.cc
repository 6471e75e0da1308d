#include "firn/encode/leading_bits.h"

#include <algorithm>
#include <cmath>

namespace firn::encode {

void keep_leading_bits(Matrix<float>& thresholds, std::size_t bits) {
  const auto step = static_cast<float>(1u << (kByteBits - bits)), most = static_cast<float>((1u << bits) - 1);
  for (std::size_t t = 0; t < thresholds.rows(); ++t)
    for (float& threshold : thresholds[t])
      threshold = step * std::clamp(std::round((threshold + 1) / step), 1.f, most) - 1;
}

}  // namespace firn::encode
