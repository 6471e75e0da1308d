#include "firn/data/png_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/png.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ReadPng, SeparatesChannels) {
  const std::vector<std::uint8_t> rgb = {1, 2, 3, 4, 5, 6};  // two pixels
  const Picture8 colour = read_png(png_bytes(PNG_FORMAT_RGB, 2, 1, rgb.data()), "a.png");
  EXPECT_EQ(colour.shape, (Shape{3, 1, 2}));
  EXPECT_THAT(colour.values, ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_EQ(read_png(png_bytes(PNG_FORMAT_GRAY, 3, 2, rgb.data()), "a.png").shape, (Shape{1, 2, 3}));
  EXPECT_THAT(read_png(png_bytes(PNG_FORMAT_GA, 1, 3, rgb.data()), "a.png").values, ElementsAre(1, 3, 5, 2, 4, 6));
  EXPECT_EQ(read_png(png_bytes(PNG_FORMAT_RGBA, 1, 1, rgb.data()), "a.png").shape, (Shape{4, 1, 1}));
}

TEST(ReadPng, PalettesBecomeColours) {
  const std::vector<std::uint8_t> colours = {10, 20, 30, 40, 50, 60}, pixels = {1, 0, 1};
  const Picture8 picture =
      read_png(png_bytes(PNG_FORMAT_RGB_COLORMAP, 3, 1, pixels.data(), colours.data(), 2), "a.png");
  EXPECT_THAT(picture.values, ElementsAre(40, 10, 40, 50, 20, 50, 60, 30, 60));
}

// Linear sixteen-bit values are stored as they are.
TEST(ReadPng, SixteenBitsTakeTheNearestByte) {
  const std::vector<std::uint16_t> grey = {0, 257, 385, 386, 65535};
  const Picture8 picture = read_png(png_bytes(PNG_FORMAT_LINEAR_Y, 5, 1, grey.data()), "a.png");
  EXPECT_THAT(picture.values, ElementsAre(0, 1, 1, 2, 255));
}

TEST(ReadPng, RefusesASizeThatTheFileCannotHold) {
  const std::vector<std::uint8_t> grey(64, 9);
  std::string bytes = png_bytes(PNG_FORMAT_GRAY, 8, 8, grey.data());
  constexpr std::size_t kHeader = 12, kLength = 17;  // "IHDR" and what its checksum covers: width, height and so on
  bytes[kHeader + 6] = bytes[kHeader + 10] = 0x1f;   // 7944 x 7944
  const auto checksum = ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()) + kHeader, kLength);
  for (std::size_t i = 0; i < 4; ++i) bytes[kHeader + kLength + i] = static_cast<char>(checksum >> (24 - 8 * i));
  EXPECT_THAT(error_of([&] { read_png(bytes, "large.png"); }),
              HasSubstr("large.png is not a sound PNG image (it is cut)"));
}

TEST(ReadPng, RefusesEveryCut) {
  const std::vector<std::uint8_t> grey(64, 9);
  const std::string whole = png_bytes(PNG_FORMAT_GRAY, 8, 8, grey.data());
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THAT(error_of([&] { read_png(whole.substr(0, length), "cut.png"); }), HasSubstr("cut.png")) << length;
}

}  // namespace
}  // namespace firn
