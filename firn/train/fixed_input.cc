#include "firn/train/fixed_input.h"

#include <algorithm>

#include "firn/data/gather.h"

namespace firn::training {

FixedInput::FixedInput(const Examples& examples, std::span<const std::uint32_t> indices, const Encoder& encoder,
                       const RowLayout& layout)
    : examples_(gather_examples(examples, indices)), encoder_(encoder), layout_(layout) {}

void FixedInput::write_rows(std::size_t first, std::size_t count, std::size_t, Matrix<float>& rows) {
  encoder_.encode_rows(SampleBlock::of(examples_, std::min(first, examples_.count()), count), layout_, rows);
}

void FixedInput::write_bits(std::size_t first, std::size_t count, Matrix<std::uint64_t>& bits, Threads&) {
  encoder_.encode_bits(SampleBlock::of(examples_, first, count), bits);
}

}  // namespace firn::training
