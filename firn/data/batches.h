// The order in which training sees its samples, as a pure function of seed and step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace firn::data {

// Each epoch is a fresh uniformly random order of the indices, cut into whole batches; what is left over is dropped.
// Any step can be asked for at any time, so resuming a run needs nothing but its step.
class BatchOrder {
 public:
  // Refuses a batch size of zero or of more than there are indices.
  BatchOrder(std::vector<std::uint32_t> indices, std::size_t batch_size, std::uint64_t seed);

  std::size_t batch_size() const { return batch_size_; }
  std::size_t steps_per_epoch() const { return indices_.size() / batch_size_; }
  // Steps count from 1, epochs from 0.
  std::uint32_t epoch(std::uint64_t step) const;

  // The samples of a step; valid until the next call.
  std::span<const std::uint32_t> batch(std::uint64_t step);

 private:
  std::vector<std::uint32_t> indices_;
  std::size_t batch_size_;
  std::uint64_t seed_;
  std::optional<std::uint32_t> shuffled_epoch_;
  std::vector<std::uint32_t> shuffled_;  // indices_ in the order of shuffled_epoch_
};

}  // namespace firn::data
