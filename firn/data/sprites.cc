#include "firn/data/sprites.h"

#include <fmt/format.h>
#include <png.h>

#include <vector>

#include "firn/base/error.h"
#include "firn/data/sources/cifar.h"

namespace firn::data {
namespace {

constexpr std::size_t kPlane = 32 * 32;

// The interleaved RGB bytes of a sheet, [row][pixel][colour].
std::vector<std::uint8_t> decode(std::string_view png, std::size_t rows, const std::string& name) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, png.data(), png.size()) == 0)
    throw Error(fmt::format("{} is not a sound PNG ({}); fetch it again", name, image.message));
  std::vector<std::uint8_t> pixels;
  if (image.width == kPlane && image.height == rows) {
    image.format = PNG_FORMAT_RGB;
    pixels.resize(PNG_IMAGE_SIZE(image));
    png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr);
  }
  png_image_free(&image);
  if (pixels.empty())
    throw Error(fmt::format("{} is {}x{} pixels instead of {}x{}; it is another version of the package", name,
                            image.width, image.height, kPlane, rows));
  if (PNG_IMAGE_FAILED(image))
    throw Error(fmt::format("{} is not a sound PNG ({}); fetch it again", name, image.message));
  return pixels;
}

}  // namespace

std::string batch_from_sprite(std::string_view png, std::span<const std::uint8_t> labels, const std::string& name) {
  const std::vector<std::uint8_t> pixels = decode(png, labels.size(), name);
  std::string batch(labels.size() * kCifarRecord, '\0');
  for (std::size_t i = 0; i < labels.size(); ++i) {
    char* record = batch.data() + i * kCifarRecord;
    const std::uint8_t* row = pixels.data() + i * kCifarPixels;
    record[0] = static_cast<char>(labels[i]);
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t k = 0; k < kPlane; ++k) record[1 + c * kPlane + k] = static_cast<char>(row[3 * k + c]);
  }
  return batch;
}

}  // namespace firn::data
