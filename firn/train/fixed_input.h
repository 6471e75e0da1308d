// A fixed set of examples as one batch, encoded without augmentation.
#pragma once

#include <cstdint>
#include <span>

#include "firn/base/matrix.h"
#include "firn/base/shape.h"
#include "firn/data/dataset.h"
#include "firn/encode/encoder.h"
#include "firn/train/step.h"

namespace firn::training {

class FixedInput final : public BatchInput {
 public:
  // The listed examples are copied; the encoder must outlive this. `layout` is the model's input layout.
  FixedInput(const Examples& examples, std::span<const std::uint32_t> indices, const Encoder& encoder,
             const RowLayout& layout);

  Truths truths() const override { return examples_; }
  bool is_binary() const override { return encoder_.is_binary(); }
  void write_rows(std::size_t first, std::size_t count, std::size_t worker, Matrix<float>& rows) override;
  void write_bits(std::size_t first, std::size_t count, Matrix<std::uint64_t>& bits, Threads& threads) override;

 private:
  Examples examples_;
  const Encoder& encoder_;
  RowLayout layout_;
};

}  // namespace firn::training
