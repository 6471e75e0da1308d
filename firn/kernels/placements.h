// Where the filters of a convolution are placed: which rows they read from and write to.
#pragma once

#include <cstddef>

namespace firn::kernels {

struct Placements {
  std::size_t stride = 1;                                  // input columns or lines to the next placement
  std::size_t in_line = 0;                                 // input rows from one image line to the next
  std::size_t in_plane = 0;                                // and from one channel to the next
  std::size_t out_height = 1, out_width = 1;               // after pooling
  std::size_t out_first = 0, out_plane = 1, out_line = 1;  // output row = first + filter * plane + y * line + x
};

}  // namespace firn::kernels
