#include "firn/data/sprites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <array>
#include <vector>

#include "firn/data/sources/cifar.h"
#include "tests/support/expect_error.h"

namespace firn {
namespace {

using testing::HasSubstr;

std::string png_of(const std::vector<std::uint8_t>& pixels, std::size_t width, std::size_t height) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string png(size, '\0');
  EXPECT_NE(png_image_write_to_memory(&image, png.data(), &size, 0, pixels.data(), 0, nullptr), 0);
  png.resize(size);
  return png;
}

TEST(Sprites, PlanesFollowEachOtherAfterTheLabel) {
  const std::size_t images = 3;
  std::vector<std::uint8_t> pixels(images * kCifarPixels);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 31 + i / 256);
  const std::string batch =
      batch_from_sprite(png_of(pixels, 1024, images), std::array<std::uint8_t, 3>{7, 0, 9}, "s.png");
  ASSERT_EQ(batch.size(), images * kCifarRecord);
  for (std::size_t i = 0; i < images; ++i) {
    EXPECT_EQ(batch[i * kCifarRecord], (std::array{7, 0, 9})[i]);
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t k = 0; k < 1024; ++k)
        ASSERT_EQ(static_cast<std::uint8_t>(batch[i * kCifarRecord + 1 + c * 1024 + k]),
                  pixels[(i * 1024 + k) * 3 + c]);
  }
}

TEST(Sprites, RefusesOtherSizesAndDamage) {
  const std::array<std::uint8_t, 2> labels = {0, 1};
  const std::string narrow = png_of(std::vector<std::uint8_t>(512 * 2 * 3), 512, 2);
  EXPECT_THAT(error_of([&] { batch_from_sprite(narrow, labels, "s.png"); }), HasSubstr("s.png is 512x2 pixels"));
  EXPECT_THAT(error_of([&] { batch_from_sprite("not a picture", labels, "s.png"); }), HasSubstr("not a sound PNG"));
  const std::string whole = png_of(std::vector<std::uint8_t>(1024 * 2 * 3, 77), 1024, 2);
  EXPECT_THAT(error_of([&] { batch_from_sprite(whole.substr(0, whole.size() - 20), labels, "s.png"); }),
              HasSubstr("not a sound PNG"));
}

}  // namespace
}  // namespace firn
