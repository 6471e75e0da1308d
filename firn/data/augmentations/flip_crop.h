// `flip-crop`: mirror with probability one half, then pad by two pixels that repeat the edge and crop at random.
#pragma once

#include "firn/data/augment.h"

namespace firn::data {

// The low bit of word 0 mirrors; words 1 and 2 choose the top and the left of the crop among five each.
void flip_crop(const Shape& shape, const std::uint8_t* image, const RandomWords& words, std::uint8_t* out);

}  // namespace firn::data
