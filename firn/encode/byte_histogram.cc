#include "firn/encode/byte_histogram.h"

#include <array>
#include <cstdint>
#include <span>

namespace firn::encode {
namespace {

// Adds the counts of consecutive bytes. Equal neighbours are common in images and would wait for each other's
// increment, so four histograms take turns.
void count_bytes(std::span<const std::uint8_t> bytes, std::uint64_t* histogram) {
  std::array<std::array<std::uint32_t, kByteValues>, 4> counts{};
  std::size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) ++counts[k][bytes[i + k]];
  for (; i < bytes.size(); ++i) ++counts[0][bytes[i]];
  for (std::size_t v = 0; v < kByteValues; ++v)
    histogram[v] += std::uint64_t{counts[0][v]} + counts[1][v] + counts[2][v] + counts[3][v];
}

}  // namespace

Matrix<std::uint64_t> count_groups(const TrainingSplit& split, Scope scope) {
  const Shape& shape = split.dataset.shape;
  const std::size_t groups = group_count(scope, shape), size = group_size(scope, shape);
  Matrix<std::uint64_t> histograms(groups, kByteValues);
  for (std::uint32_t index : split.indices) {
    const std::uint8_t* sample = split.dataset.train.bytes.row(index);
    if (size == 1)
      for (std::size_t g = 0; g < groups; ++g) ++histograms.row(g)[sample[g]];
    else
      for (std::size_t g = 0; g < groups; ++g) count_bytes({sample + g * size, size}, histograms.row(g));
  }
  return histograms;
}

}  // namespace firn::encode
