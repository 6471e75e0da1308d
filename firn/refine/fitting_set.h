// The examples that moves are judged on: training images and augmented copies of them, as blocks of simulated samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "firn/base/ranks.h"
#include "firn/base/threads.h"
#include "firn/data/augment.h"
#include "firn/data/dataset.h"
#include "firn/encode/encoder.h"
#include "firn/refine/fitting_block.h"

namespace firn::refine {

// Everything must outlive its users.
struct FittingData {
  const data::Examples& examples;
  std::span<const std::uint32_t> indices;  // of the examples that count
  const encode::Encoder& encoder;
  const data::Augmenter& augmenter;  // of copies; the first copy of every image is the image itself
};

class FittingSet {
 public:
  // Shuffles the examples by the seed, so that the first ones are a fair sample. The plan, the loss and the ranks must
  // outlive this. Every rank keeps the batches that it owns up to date, and no others.
  FittingSet(const Plan& plan, const CountLoss& loss, const FittingData& data, std::size_t copies, std::uint64_t seed,
             Ranks& ranks = one_rank());
  FittingSet(const FittingSet&) = delete;  // blocks point into it
  FittingSet& operator=(const FittingSet&) = delete;

  // What a set of that size takes.
  static std::size_t bytes(const Plan& plan, std::size_t images, std::size_t copies);

  // Draws the copies of a sweep and computes the blocks of the batches that we own.
  void draw(std::uint32_t sweep, Threads& threads);

  std::size_t images() const { return order_.size(); }
  std::size_t copies() const { return copies_; }
  std::size_t batches() const { return labels_.size(); }  // of up to 512 images, each with all its copies
  std::size_t batch_images(std::size_t batch) const { return labels_[batch].size(); }
  std::span<FittingBlock> blocks(std::size_t batch) { return {blocks_.data() + batch * copies_, copies_}; }

  // Our own batches in [first, last). Ranks take turns, because moves are often tried on the first few batches only.
  std::vector<std::size_t> own_batches(std::size_t first, std::size_t last) const;
  // `values` are `each` for every batch from `first` on, known for our own; afterwards all ranks know all of them.
  template <class T>
  void share(std::size_t first, std::size_t each, std::span<T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    share_bytes(first, each * sizeof(T), std::as_writable_bytes(values));
  }

 private:
  bool owns(int rank, std::size_t batch) const;
  void share_bytes(std::size_t first, std::size_t each, std::span<std::byte> values);

  const Plan& plan_;
  const CountLoss& loss_;
  FittingData data_;
  std::size_t copies_;
  Ranks& ranks_;
  std::vector<std::uint32_t> order_;                // of examples
  std::vector<std::vector<std::uint16_t>> labels_;  // [batch][image]
  Matrix<std::uint64_t> wires_;                     // of all blocks: [block * plan.rows][kBlockWords]
  std::vector<FittingBlock> blocks_;                // [batch][copy]
};

}  // namespace firn::refine
