// Where the values of an example lie in a NumPy array: which axis counts channels, and how far apart neighbours are.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "firn/base/shape.h"
#include "firn/data/sources/npy_array.h"

namespace firn::data {

struct NpyLayout {
  Shape shape;
  std::size_t example_stride = 1;    // in items
  std::vector<std::size_t> offsets;  // [feature], in items from the first item of the example, in the order of Shape
};

// The axes after the first are none (a single feature), [feature], [height][width], or three that `layout` puts in
// order: "nchw" is [channel][height][width], "nhwc" [height][width][channel]. "auto" takes the one of them that has 1
// to 4 channels; an Error asks for data.layout where that is both or neither, because a wrong guess would train all the
// same.
NpyLayout npy_layout(const NpyArray& array, const std::string& layout);

// The same for examples whose shape is known already, such as those of a model: where both orders have 1 to 4 channels,
// "auto" takes the one that has this shape. Another shape may come back; both are refused only where both fit.
NpyLayout npy_layout(const NpyArray& array, const std::string& layout, const Shape& shape);

}  // namespace firn::data
