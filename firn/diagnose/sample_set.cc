#include "firn/diagnose/sample_set.h"

#include <algorithm>
#include <utility>

#include "firn/data/gather.h"

namespace firn::diagnose {

void SampleSet::load(std::size_t index, const RowLayout& layout, Block& block) const {
  const std::size_t first = index * kLanes;
  block.samples = std::min(kLanes, count() - first);
  block.labels.assign(labels.begin() + static_cast<std::ptrdiff_t>(first),
                      labels.begin() + static_cast<std::ptrdiff_t>(first + block.samples));
  Matrix<float> rows(layout.rows(), kLanes);
  write_rows(first, block.samples, rows);
  for (std::size_t f = 0; f < layout.shape.size(); ++f) {
    const float* row = rows.row(layout.row_of_feature(f));
    for (std::size_t l = 0; l < kLanes; ++l) block.values[0][f].v[l] = l < block.samples ? row[l] : 0;
  }
}

SampleSet choose_samples(const Examples& examples, std::vector<std::uint32_t> indices, const Encoder& encoder,
                         const RowLayout& layout) {
  SampleSet samples;
  for (std::uint32_t i : indices) samples.labels.push_back(examples.labels[i]);
  samples.write_rows = [&examples, &encoder, layout, indices = std::move(indices)](std::size_t first, std::size_t count,
                                                                                   Matrix<float>& rows) {
    const Examples chosen = gather_examples(examples, {&indices[first], count});
    encoder.encode_rows(SampleBlock::of(chosen), layout, rows);
  };
  return samples;
}

}  // namespace firn::diagnose
