// The samples that a diagnosis looks at, handed out in blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/data/dataset.h"
#include "firn/diagnose/cone_network.h"
#include "firn/encode/encoder.h"

namespace firn::diagnose {

struct SampleSet {
  std::vector<std::uint16_t> labels;
  // Writes samples [first, first + count) as rows of the model's input layout; callable from many threads at once.
  std::function<void(std::size_t first, std::size_t count, Matrix<float>& rows)> write_rows;

  std::size_t count() const { return labels.size(); }
  std::size_t blocks() const { return (count() + kLanes - 1) / kLanes; }
  // Fills the block's input, labels and number of samples; lanes without a sample hold zeros.
  void load(std::size_t index, const RowLayout& layout, Block& block) const;
};

// The listed examples; they, the encoder and the list's owner must outlive the result.
SampleSet choose_samples(const Examples& examples, std::vector<std::uint32_t> indices, const Encoder& encoder,
                         const RowLayout& layout);

}  // namespace firn::diagnose
