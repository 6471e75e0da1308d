// The middle of every image, where the border carries little.
#pragma once

#include <cstddef>

#include "firn/data/dataset.h"

namespace firn::data {

// Keeps the centre size x size pixels of each channel; an odd margin leaves the larger half below and to the right.
void crop_centre(Dataset& dataset, std::size_t size);

}  // namespace firn::data
