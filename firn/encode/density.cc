#include "firn/encode/density.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "firn/base/error.h"
#include "firn/data/gather.h"

namespace firn::encode {
namespace {

constexpr std::size_t kBlock = 512;  // examples gathered and encoded at a time: stays in the cache

std::vector<std::uint64_t> count_bits(const Encoder& encoder, const Examples& examples,
                                      std::span<const std::uint32_t> indices) {
  std::vector<std::uint64_t> counts(encoder.output_shape().size());
  Matrix<std::uint64_t> bits(counts.size(), kBlock / 64);
  for (std::size_t first = 0; first < indices.size(); first += kBlock) {
    const Examples block = gather_examples(examples, indices.subspan(first, std::min(kBlock, indices.size() - first)));
    bits.clear();  // a short last block leaves words untouched
    encoder.encode_bits(SampleBlock::of(block), bits);
    for (std::size_t f = 0; f < counts.size(); ++f)
      for (const std::uint64_t word : bits[f]) counts[f] += static_cast<std::uint64_t>(std::popcount(word));
  }
  return counts;
}

}  // namespace

Matrix<double> bit_densities(const Encoder& encoder, const Examples& examples, std::span<const std::uint32_t> indices) {
  FIRN_CHECK(!indices.empty());
  const std::vector<std::uint64_t> counts = count_bits(encoder, examples, indices);
  const std::size_t features = encoder.input_shape().size();
  Matrix<double> densities(counts.size() / features, features);
  for (std::size_t i = 0; i < counts.size(); ++i)
    densities[i / features][i % features] = static_cast<double>(counts[i]) / static_cast<double>(indices.size());
  return densities;
}

}  // namespace firn::encode
