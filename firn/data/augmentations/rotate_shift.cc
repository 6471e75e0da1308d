#include "firn/data/augmentations/rotate_shift.h"

#include <cmath>
#include <numbers>

namespace firn::data {
namespace {

constexpr double kMaxAngle = 15 * std::numbers::pi / 180;
constexpr double kMaxShift = 0.1;
constexpr int kFraction = 20;  // bits after the point: sources are computed in whole numbers, alike on every machine

// Uniform in [-1, 1).
double symmetric(std::uint32_t word) {
  return static_cast<double>(word) * 0x1p-31 - 1.0;
}

std::int64_t fixed_point(double v) {
  return std::llround(std::ldexp(v, kFraction));
}

// The nearest pixel to a distance from the centre, which is given in half pixels with kFraction bits.
std::int64_t nearest(std::int64_t from_centre, std::int64_t size) {
  const std::int64_t half_pixels = from_centre + ((size - 1) << kFraction);
  return (half_pixels + (std::int64_t{1} << kFraction)) >> (kFraction + 1);
}

}  // namespace

void rotate_shift(const Shape& shape, const std::uint8_t* image, const RandomWords& words, std::uint8_t* out) {
  const auto width = static_cast<std::int64_t>(shape.width), height = static_cast<std::int64_t>(shape.height);
  const double angle = symmetric(words[0]) * kMaxAngle;
  const std::int64_t cosine = fixed_point(std::cos(angle)), sine = fixed_point(std::sin(angle));
  const std::int64_t right = std::llround(symmetric(words[1]) * kMaxShift * static_cast<double>(width));
  const std::int64_t down = std::llround(symmetric(words[2]) * kMaxShift * static_cast<double>(height));
  const auto inside = [&](std::int64_t x, std::int64_t y) { return x >= 0 && x < width && y >= 0 && y < height; };

  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      const std::int64_t turned_x = x - right, turned_y = y - down;  // in the turned image, before the shift
      const std::int64_t u = 2 * turned_x - (width - 1), v = 2 * turned_y - (height - 1);
      const std::int64_t from_x = nearest(cosine * u + sine * v, width),
                         from_y = nearest(cosine * v - sine * u, height);
      const bool visible = inside(turned_x, turned_y) && inside(from_x, from_y);
      for (std::size_t c = 0; c < shape.channels; ++c) {
        const auto plane = static_cast<std::int64_t>(c) * height * width;
        out[plane + y * width + x] = visible ? image[plane + from_y * width + from_x] : std::uint8_t{0};
      }
    }
}

}  // namespace firn::data
