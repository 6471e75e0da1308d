#include "firn/data/crop.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "firn/base/error.h"

namespace firn::data {
namespace {

template <class T>
Matrix<T> crop(const MatrixView<T>& whole, const Shape& from, const Shape& to) {
  Matrix<T> cropped(whole.rows(), to.size());
  const std::size_t top = (from.height - to.height) / 2, left = (from.width - to.width) / 2;
  for (std::size_t i = 0; i < whole.rows(); ++i)
    for (std::size_t c = 0; c < to.channels; ++c)
      for (std::size_t y = 0; y < to.height; ++y) {
        const T* line = whole.row(i) + (c * from.height + y + top) * from.width + left;
        std::copy_n(line, to.width, cropped.row(i) + (c * to.height + y) * to.width);
      }
  return cropped;
}

}  // namespace

void crop_centre(Dataset& dataset, std::size_t size) {
  const Shape from = dataset.shape;
  if (from.height == 1 && from.width == 1)
    throw Error(fmt::format("{} holds no images that could be cropped; remove data.crop", dataset.name));
  if (size > from.height || size > from.width)
    throw Error(fmt::format("{} has {}x{} images; set data.crop to at most {}", dataset.name, from.height, from.width,
                            std::min(from.height, from.width)));
  const Shape to{from.channels, size, size};
  for (Examples* part : {&dataset.train, &dataset.test}) {
    if (part->has_reals()) {
      part->reals = crop(part->reals, from, to);
    } else {
      part->bytes = crop(part->bytes, from, to);
    }
  }
  dataset.shape = to;
}

}  // namespace firn::data
