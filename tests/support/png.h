// PNG images for tests, written by libpng's simple interface.
#pragma once

#include <gtest/gtest.h>
#include <png.h>

#include <cstdint>
#include <string>

namespace firn {

// `format` is one of PNG_FORMAT_*; `pixels` is interleaved, of the type that the format asks for.
inline std::string png_bytes(unsigned format, std::size_t width, std::size_t height, const void* pixels,
                             const void* colormap = nullptr, unsigned colours = 0) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = format;
  image.colormap_entries = colours;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string png(size, '\0');
  EXPECT_NE(png_image_write_to_memory(&image, png.data(), &size, 0, pixels, 0, colormap), 0) << image.message;
  png.resize(size);
  return png;
}

}  // namespace firn
