#include "firn/encode/density.h"

#include <algorithm>
#include <bit>

#include "firn/base/error.h"

namespace firn {
namespace {

constexpr std::size_t kBlock = 512;  // examples gathered and encoded at a time: stays in the cache

template <class T>
void gather(const Matrix<T>& values, std::span<const std::uint32_t> indices, Matrix<T>& block) {
  for (std::size_t i = 0; i < indices.size(); ++i) std::ranges::copy(values[indices[i]], block.row(i));
}

template <class T>
std::vector<std::uint64_t> count_bits(const Encoder& encoder, const Matrix<T>& values,
                                      std::span<const std::uint32_t> indices) {
  std::vector<std::uint64_t> counts(encoder.output_shape().size());
  Matrix<T> block(kBlock, values.cols());
  Matrix<std::uint64_t> bits(counts.size(), kBlock / 64);
  for (std::size_t first = 0; first < indices.size(); first += kBlock) {
    const auto part = indices.subspan(first, std::min(kBlock, indices.size() - first));
    gather(values, part, block);
    bits.clear();  // a short last block leaves words untouched
    encoder.encode_bits(SampleBlock(block, 0, part.size()), bits);
    for (std::size_t f = 0; f < counts.size(); ++f)
      for (const std::uint64_t word : bits[f]) counts[f] += static_cast<std::uint64_t>(std::popcount(word));
  }
  return counts;
}

}  // namespace

Matrix<double> bit_densities(const Encoder& encoder, const Examples& examples, std::span<const std::uint32_t> indices) {
  FIRN_CHECK(!indices.empty());
  const auto counts = examples.has_reals() ? count_bits(encoder, examples.reals, indices)
                                           : count_bits(encoder, examples.bytes, indices);
  const std::size_t features = encoder.input_shape().size();
  Matrix<double> densities(counts.size() / features, features);
  for (std::size_t i = 0; i < counts.size(); ++i)
    densities[i / features][i % features] = static_cast<double>(counts[i]) / static_cast<double>(indices.size());
  return densities;
}

}  // namespace firn
