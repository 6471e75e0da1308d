#include "firn/data/sources/npy_layout.h"

#include <fmt/format.h>

#include "firn/base/error.h"

namespace firn::data {
namespace {

constexpr std::size_t kMostChannels = 4;  // grey, grey with alpha, colour, colour with alpha

std::vector<std::size_t> strides_of(const NpyArray& array) {
  const std::vector<std::size_t>& sizes = array.sizes;
  std::vector<std::size_t> strides(sizes.size(), 1);
  if (array.fortran_order) {
    for (std::size_t i = 1; i < sizes.size(); ++i) strides[i] = strides[i - 1] * sizes[i - 1];
  } else {
    for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  }
  return strides;
}

// What the axes of an array count; 0 where no axis does.
struct Axes {
  std::size_t channel = 0, line = 0, column = 0;
};

constexpr Axes kChannelsFirst{.channel = 1, .line = 2, .column = 3};
constexpr Axes kChannelsLast{.channel = 3, .line = 1, .column = 2};

NpyLayout arrange(const NpyArray& array, const Axes& axes) {
  const std::vector<std::size_t> strides = strides_of(array);
  const auto size = [&](std::size_t axis) { return axis == 0 ? 1 : array.sizes[axis]; };
  NpyLayout layout{
      .shape = {size(axes.channel), size(axes.line), size(axes.column)}, .example_stride = strides[0], .offsets = {}};
  for (std::size_t c = 0; c < layout.shape.channels; ++c)
    for (std::size_t y = 0; y < layout.shape.height; ++y)
      for (std::size_t x = 0; x < layout.shape.width; ++x)
        layout.offsets.push_back(c * strides[axes.channel] + y * strides[axes.line] + x * strides[axes.column]);
  return layout;
}

Axes choose(const NpyArray& array, const std::string& layout, const Shape* known) {
  const std::vector<std::size_t>& sizes = array.sizes;
  if (sizes.size() == 1) return {};
  if (sizes.size() == 2) return {.channel = 1};
  if (sizes.size() == 3) return {.line = 1, .column = 2};
  if (layout == "nchw") return kChannelsFirst;
  if (layout == "nhwc") return kChannelsLast;
  const bool first = sizes[1] <= kMostChannels, last = sizes[3] <= kMostChannels;
  if (first != last) return first ? kChannelsFirst : kChannelsLast;
  if (known != nullptr) {
    const bool fits_first = Shape{sizes[1], sizes[2], sizes[3]} == *known;
    const bool fits_last = Shape{sizes[3], sizes[1], sizes[2]} == *known;
    if (!fits_first || !fits_last)
      return fits_last ? kChannelsLast : kChannelsFirst;  // the caller refuses what fits none
  }
  throw Error(
      fmt::format("{} has examples of {} x {} x {}, where {} of the outer axes could be the channels (1 to {}); set "
                  "data.layout to \"nchw\" or \"nhwc\"",
                  array.name, sizes[1], sizes[2], sizes[3], first ? "each" : "neither", kMostChannels));
}

}  // namespace

NpyLayout npy_layout(const NpyArray& array, const std::string& layout) {
  return arrange(array, choose(array, layout, nullptr));
}

NpyLayout npy_layout(const NpyArray& array, const std::string& layout, const Shape& shape) {
  return arrange(array, choose(array, layout, &shape));
}

}  // namespace firn::data
