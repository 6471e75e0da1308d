#include "firn/data/batches.h"

#include <fmt/format.h>

#include <utility>

#include "firn/base/error.h"
#include "firn/base/random.h"

namespace firn::data {

BatchOrder::BatchOrder(std::vector<std::uint32_t> indices, std::size_t batch_size, std::uint64_t seed)
    : indices_(std::move(indices)), batch_size_(batch_size), seed_(seed) {
  if (batch_size_ == 0 || batch_size_ > indices_.size())
    throw Error(fmt::format("batches of {} cannot be made from {} training samples; choose a batch size from 1 to {}",
                            batch_size_, indices_.size(), indices_.size()));
}

std::uint32_t BatchOrder::epoch(std::uint64_t step) const {
  FIRN_CHECK(step >= 1);
  const std::uint64_t epoch = (step - 1) / steps_per_epoch();
  FIRN_CHECK(epoch < std::uint64_t{1} << 30);  // each epoch owns 2^34 words of the random stream
  return static_cast<std::uint32_t>(epoch);
}

std::span<const std::uint32_t> BatchOrder::batch(std::uint64_t step) {
  const std::uint32_t wanted = epoch(step);
  if (shuffled_epoch_ != wanted) {
    RandomSequence random(Random(seed_, "batches"), std::uint64_t{wanted} << 34);
    shuffled_ = permutation(static_cast<std::uint32_t>(indices_.size()), random);
    for (std::uint32_t& sample : shuffled_) sample = indices_[sample];
    shuffled_epoch_ = wanted;
  }
  return std::span(shuffled_).subspan((step - 1) % steps_per_epoch() * batch_size_, batch_size_);
}

}  // namespace firn::data
