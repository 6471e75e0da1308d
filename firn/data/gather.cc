#include "firn/data/gather.h"

#include <algorithm>

#include "firn/base/error.h"

namespace firn::data {
namespace {

template <class T>
Matrix<T> gather_rows(const MatrixView<T>& from, std::span<const std::uint32_t> indices) {
  Matrix<T> rows(indices.size(), from.cols());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    FIRN_CHECK(indices[i] < from.rows());
    std::ranges::copy(from[indices[i]], rows.row(i));
  }
  return rows;
}

}  // namespace

Examples gather_examples(const Examples& examples, std::span<const std::uint32_t> indices) {
  Examples chosen;
  if (examples.has_reals())
    chosen.reals = gather_rows(examples.reals, indices);
  else
    chosen.bytes = gather_rows(examples.bytes, indices);
  for (const std::uint32_t index : indices)
    if (!examples.targets.empty()) chosen.targets.push_back(examples.targets[index]);
  if (examples.labels.empty()) return chosen;
  chosen.labels.reserve(indices.size());
  for (const std::uint32_t index : indices) chosen.labels.push_back(examples.labels[index]);
  return chosen;
}

}  // namespace firn::data
