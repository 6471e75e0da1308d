// `none`: the image as it is.
#pragma once

#include "firn/data/augment.h"

namespace firn::data {

void copy_image(const Shape& shape, const std::uint8_t* image, const RandomWords& words, std::uint8_t* out);

}  // namespace firn::data
