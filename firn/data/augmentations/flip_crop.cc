#include "firn/data/augmentations/flip_crop.h"

#include <algorithm>

namespace firn::data {
namespace {

constexpr std::ptrdiff_t kPad = 2;

// Uniform in -kPad..kPad, up to one part in 2^30.
std::ptrdiff_t offset(std::uint32_t word) {
  return static_cast<std::ptrdiff_t>((std::uint64_t{word} * (2 * kPad + 1)) >> 32) - kPad;
}

// out[x] = line[clamp(x + shift)]: edges repeat.
void shift_line(const std::uint8_t* line, std::ptrdiff_t width, std::ptrdiff_t shift, std::uint8_t* out) {
  const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(-shift, 0, width);
  const std::ptrdiff_t end = std::clamp<std::ptrdiff_t>(width - shift, 0, width);
  std::fill(out, out + begin, line[0]);
  std::copy(line + begin + shift, line + end + shift, out + begin);
  std::fill(out + end, out + width, line[width - 1]);
}

}  // namespace

void flip_crop(const Shape& shape, const std::uint8_t* image, const RandomWords& words, std::uint8_t* out) {
  const auto width = static_cast<std::ptrdiff_t>(shape.width), height = static_cast<std::ptrdiff_t>(shape.height);
  const bool mirror = words[0] & 1;
  const std::ptrdiff_t down = offset(words[1]), right = offset(words[2]);
  for (std::size_t c = 0; c < shape.channels; ++c, image += height * width)
    for (std::ptrdiff_t y = 0; y < height; ++y, out += width) {
      const std::uint8_t* line = image + std::clamp<std::ptrdiff_t>(y + down, 0, height - 1) * width;
      // To shift the mirrored line is to mirror the line shifted the other way.
      shift_line(line, width, mirror ? -right : right, out);
      if (mirror) std::reverse(out, out + width);
    }
}

}  // namespace firn::data
