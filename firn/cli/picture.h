// Small images as lines of text: shades that are readable everywhere, or colours where the terminal has them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "firn/base/shape.h"
#include "firn/cli/terminal.h"

namespace firn::cli {

struct Picture {
  std::span<const std::uint8_t> pixels;  // [channel][line][column]
  std::string caption;
};

// Draws pictures of one shape side by side, as many as fit, then the next row of them. A character stands for two
// pixels, one above the other; images wider than the terminal lose columns and lines evenly.
std::string draw(const Shape& shape, std::span<const Picture> pictures, const Terminal& terminal);

}  // namespace firn::cli
