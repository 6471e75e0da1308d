// Arrays of callers as the modules take them, and back.
#pragma once

#include <vector>

#include "firn/api/dataset.h"
#include "firn/base/matrix.h"
#include "firn/data/caller_memory.h"

namespace firn::api::door {

inline data::ValueArray values_of(const Samples& samples) {
  return std::visit([](const auto& span) { return data::ValueArray(span); }, samples);
}

inline data::LabelArray labels_of(const Labels& labels) {
  return std::visit([](const auto& span) { return data::LabelArray(span); }, labels);
}

// The rows one after the other, without padding.
template <class T>
std::vector<T> values_in(const MatrixView<T>& rows) {
  std::vector<T> values;
  values.reserve(rows.rows() * rows.cols());
  for (std::size_t r = 0; r < rows.rows(); ++r) values.insert(values.end(), rows[r].begin(), rows[r].end());
  return values;
}

}  // namespace firn::api::door
