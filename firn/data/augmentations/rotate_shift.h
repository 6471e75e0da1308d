// `rotate-shift`: for digits; turn about the centre by up to 15 degrees, then move by up to a tenth of the size.
#pragma once

#include "firn/data/augment.h"

namespace firn::data {

// Nearest neighbour, black where nothing was. Word 0 chooses the angle, words 1 and 2 the whole numbers of pixels to
// the right and down. What the rotation moves out of the image does not come back with the shift.
void rotate_shift(const Shape& shape, const std::uint8_t* image, const RandomWords& words, std::uint8_t* out);

}  // namespace firn::data
