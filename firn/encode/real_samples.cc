#include "firn/encode/real_samples.h"

#include <algorithm>

namespace firn::encode {

void threshold_rows(const Samples<float>& samples, const Matrix<float>& thresholds, const RowLayout& layout,
                    Matrix<float>& rows) {
  FIRN_CHECK(rows.rows() == layout.rows() && samples.count <= rows.cols());
  FIRN_CHECK(thresholds.cols() == samples.features && layout.shape.size() == thresholds.rows() * samples.features);
  for (std::size_t t = 0; t < thresholds.rows(); ++t)
    for (std::size_t f = 0; f < samples.features; ++f) {
      float* row = rows.row(layout.row_of_feature(t * samples.features + f));
      const float threshold = thresholds.row(t)[f];
      for (std::size_t s = 0; s < samples.count; ++s) row[s] = samples.sample(s)[f] > threshold ? 1.f : 0.f;
      std::fill(row + samples.count, row + rows.stride(), 0.f);
    }
}

void unit_rows(const Samples<float>& samples, const RowLayout& layout, Matrix<float>& rows) {
  FIRN_CHECK(rows.rows() == layout.rows() && samples.count <= rows.cols());
  FIRN_CHECK(layout.shape.size() == samples.features);
  for (std::size_t f = 0; f < samples.features; ++f) {
    float* row = rows.row(layout.row_of_feature(f));
    for (std::size_t s = 0; s < samples.count; ++s) row[s] = samples.sample(s)[f];
    std::fill(row + samples.count, row + rows.stride(), 0.f);
  }
}

}  // namespace firn::encode
