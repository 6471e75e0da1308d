#include "firn/cli/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace firn::cli {
namespace {

constexpr std::string_view kShades = " .:-=+*#%@";
constexpr std::size_t kGap = 2;  // columns between pictures

using Pixel = std::array<int, 3>;  // red, green, blue

// A picture reduced to the lines and columns that are drawn.
struct Grid {
  explicit Grid(const Shape& image, std::size_t columns)
      : shape(image),
        step((image.width + columns - 1) / columns),
        width((image.width + step - 1) / step),
        lines((image.height + 2 * step - 1) / (2 * step)) {}

  // Outside the image everything is black.
  Pixel pixel(const Picture& picture, std::size_t y, std::size_t x) const {
    y *= step;
    x *= step;
    if (y >= shape.height) return {0, 0, 0};
    const std::size_t plane = shape.height * shape.width, at = y * shape.width + x;
    if (shape.channels < 3) return {picture.pixels[at], picture.pixels[at], picture.pixels[at]};
    return {picture.pixels[at], picture.pixels[plane + at], picture.pixels[2 * plane + at]};
  }

  Shape shape;
  std::size_t step;          // image columns and lines from one drawn pixel to the next
  std::size_t width, lines;  // in characters
};

int brightness(const Pixel& p) {
  return (299 * p[0] + 587 * p[1] + 114 * p[2]) / 1000;
}

std::string shade(const Pixel& upper, const Pixel& lower) {
  const auto mean = static_cast<std::size_t>(brightness(upper) + brightness(lower)) / 2;
  return std::string(1, kShades[mean * kShades.size() / 256]);
}

std::string half_block(const Pixel& upper, const Pixel& lower) {
  return fmt::format("\x1b[38;2;{};48;2;{}m▀", fmt::join(upper, ";"), fmt::join(lower, ";"));
}

std::string line(const Grid& grid, const Picture& picture, std::size_t l, bool colour) {
  std::string out;
  for (std::size_t x = 0; x < grid.width; ++x) {
    const Pixel upper = grid.pixel(picture, 2 * l, x), lower = grid.pixel(picture, 2 * l + 1, x);
    out += colour ? half_block(upper, lower) : shade(upper, lower);
  }
  return colour ? out + "\x1b[0m" : out;
}

}  // namespace

std::string draw(const Shape& shape, std::span<const Picture> pictures, const Terminal& terminal) {
  const Grid grid(shape, std::max<std::size_t>(terminal.columns, 1));
  const std::size_t across = std::max<std::size_t>(1, (terminal.columns + kGap) / (grid.width + kGap));
  const std::string gap(kGap, ' ');
  std::string out;
  for (; !pictures.empty(); pictures = pictures.subspan(std::min(across, pictures.size()))) {
    const auto row = pictures.first(std::min(across, pictures.size()));
    for (std::size_t l = 0; l < grid.lines; ++l) {
      for (const Picture& picture : row) out += line(grid, picture, l, terminal.colour) + gap;
      out += '\n';
    }
    for (const Picture& picture : row) out += fmt::format("{:<{}.{}}", picture.caption, grid.width, grid.width) + gap;
    out += "\n\n";
  }
  return out;
}

}  // namespace firn::cli
