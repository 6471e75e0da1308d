// Batches for training: samples drawn by step, augmented, encoded shard by shard.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/shape.h"
#include "firn/data/augment.h"
#include "firn/data/batches.h"
#include "firn/data/dataset.h"
#include "firn/encode/encoder.h"
#include "firn/train/step.h"
#include "firn/train/teacher.h"

namespace firn::training {

class TrainingInput final : public BatchInput {
 public:
  // Everything but the order must outlive this. `layout` is the model's input layout; there may be no teacher.
  TrainingInput(const Examples& examples, const Encoder& encoder, const Augmenter& augmenter, BatchOrder order,
                const RowLayout& layout, std::size_t shard, int workers, const Teacher* teacher = nullptr);

  // Chooses the batch of a step, counted from 1.
  void select(std::uint64_t step);

  Truths truths() const override {
    Truths truths(batch_truths_);
    truths.lesson = lesson_;
    return truths;
  }
  bool is_binary() const override { return encoder_.is_binary(); }
  void write_rows(std::size_t first, std::size_t count, std::size_t worker, Matrix<float>& rows) override;
  void write_bits(std::size_t first, std::size_t count, Matrix<std::uint64_t>& bits, Threads& threads) override;

 private:
  struct Scratch {
    Matrix<std::uint8_t> bytes;  // [sample][feature]
    Matrix<float> reals;         // [sample][feature]

    SampleBlock block(std::size_t count) const {
      return reals.rows() != 0 ? SampleBlock(reals, 0, count) : SampleBlock(bytes, 0, count);
    }
  };
  // Row `to` of the scratch becomes sample i of the batch.
  void write_sample(std::size_t i, Scratch& scratch, std::size_t to) const;
  Scratch make_scratch(std::size_t samples) const;

  const Examples& examples_;
  const Encoder& encoder_;
  const Augmenter& augmenter_;
  BatchOrder order_;
  RowLayout layout_;
  std::vector<Scratch> shard_scratch_;  // one per worker
  Scratch batch_scratch_;               // made when bits are first asked for
  std::uint32_t epoch_ = 0;
  std::span<const std::uint32_t> batch_;
  Examples batch_truths_;  // labels or targets of the batch, no values
  const Teacher* teacher_;
  std::vector<float> lesson_rows_;
  Lesson lesson_;  // of the batch
};

}  // namespace firn::training
