#include "firn/train/fixed_input.h"

#include <algorithm>

namespace firn {

FixedInput::FixedInput(const Examples& examples, std::span<const std::uint32_t> indices, const Encoder& encoder,
                       const RowLayout& layout)
    : encoder_(encoder), layout_(layout) {
  if (examples.has_reals())
    reals_ = Matrix<float>(indices.size(), examples.reals.cols());
  else
    bytes_ = Matrix<std::uint8_t>(indices.size(), examples.bytes.cols());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    labels_.push_back(examples.labels[indices[i]]);
    if (examples.has_reals())
      std::ranges::copy(examples.reals[indices[i]], reals_.row(i));
    else
      std::ranges::copy(examples.bytes[indices[i]], bytes_.row(i));
  }
}

SampleBlock FixedInput::block(std::size_t first, std::size_t count) const {
  return reals_.rows() != 0 ? SampleBlock(reals_, first, count) : SampleBlock(bytes_, first, count);
}

void FixedInput::write_rows(std::size_t first, std::size_t count, std::size_t, Matrix<float>& rows) {
  encoder_.encode_rows(block(std::min(first, labels_.size()), count), layout_, rows);
}

void FixedInput::write_bits(Matrix<std::uint64_t>& bits, Threads&) {
  encoder_.encode_bits(block(0, labels_.size()), bits);
}

}  // namespace firn
