// Where each feature of a shape lives among `[feature][sample]` rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firn/api/shape.h"
#include "firn/base/rooms.h"

namespace firn {

// Rows for a shape, with a border of zero rows around every channel: a padded convolution then reads its operands
// without looking where the image ends.
struct RowLayout {
  Shape shape;
  std::size_t border = 0;

  constexpr std::size_t line() const { return shape.width + 2 * border; }  // rows from one image line to the next
  constexpr std::size_t plane() const { return line() * (shape.height + 2 * border); }  // rows of one channel
  constexpr std::size_t rows() const { return shape.channels * plane(); }
  constexpr std::size_t row(std::size_t c, std::size_t y, std::size_t x) const {
    return c * plane() + (y + border) * line() + x + border;
  }
  constexpr std::size_t row_of_feature(std::size_t feature) const {
    const std::size_t area = shape.height * shape.width;
    return row(feature / area, feature % area / shape.width, feature % shape.width);
  }
  friend constexpr bool operator==(const RowLayout&, const RowLayout&) = default;
};

static_assert(RowLayout{{2, 3, 4}, 0}.row_of_feature(23) == 23);
static_assert(RowLayout{{2, 3, 4}, 1}.row(1, 0, 0) == 30 + 6 + 1);

}  // namespace firn
