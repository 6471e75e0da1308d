// One PNG image as bytes, channel by channel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/shape.h"

namespace firn::data {

struct Picture8 {
  Shape shape;                       // 1 channel: grey, 2: grey and alpha, 3: red, green, blue, 4: these and alpha
  std::vector<std::uint8_t> values;  // [channel][line][column]
};

// Palettes become colours, samples of fewer than 8 bits are spread over 0 to 255, and of 16 bits the nearest of 256
// steps is taken (v / 257, rounded). Gamma and colour profiles are ignored: stored values are what counts.
Picture8 read_png(std::string_view bytes, const std::string& name);

}  // namespace firn::data
