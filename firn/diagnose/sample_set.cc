#include "firn/diagnose/sample_set.h"

#include <algorithm>
#include <utility>

namespace firn {

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

namespace {

// Copies the listed rows of a matrix, one after the other.
template <class T>
Matrix<T> gather(const Matrix<T>& from, std::span<const std::uint32_t> indices) {
  Matrix<T> rows(indices.size(), from.cols());
  for (std::size_t i = 0; i < indices.size(); ++i) std::ranges::copy(from[indices[i]], rows.row(i));
  return rows;
}

}  // namespace

SampleSet choose_samples(const Examples& examples, std::vector<std::uint32_t> indices, const Encoder& encoder,
                         const RowLayout& layout) {
  SampleSet samples;
  for (std::uint32_t i : indices) samples.labels.push_back(examples.labels[i]);
  samples.write_rows = [&examples, &encoder, layout, indices = std::move(indices)](std::size_t first, std::size_t count,
                                                                                   Matrix<float>& rows) {
    const std::span<const std::uint32_t> chosen(&indices[first], count);
    if (examples.has_reals()) {
      const Matrix<float> values = gather(examples.reals, chosen);
      encoder.encode_rows(SampleBlock(values, 0, count), layout, rows);
    } else {
      const Matrix<std::uint8_t> values = gather(examples.bytes, chosen);
      encoder.encode_rows(SampleBlock(values, 0, count), layout, rows);
    }
  };
  return samples;
}

}  // namespace firn
