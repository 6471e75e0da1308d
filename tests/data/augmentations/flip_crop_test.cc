#include "firn/data/augmentations/flip_crop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/small_data.h"

namespace firn {
namespace {

// The word that chooses an offset from -2 to 2.
std::uint32_t offset_word(int offset) {
  return static_cast<std::uint32_t>((offset + 2) * 858993460LL);
}

std::vector<std::uint8_t> run(const Shape& shape, const std::uint8_t* image, bool mirror, int down, int right) {
  std::vector<std::uint8_t> out(shape.size());
  flip_crop(shape, image, {mirror, offset_word(down), offset_word(right), 0}, out.data());
  return out;
}

TEST(FlipCrop, MatchesMirrorPadAndCropDoneOneByOne) {
  for (const Shape shape : {Shape{3, 6, 5}, Shape{1, 2, 2}, Shape{2, 32, 32}}) {
    const Matrix<std::uint8_t> image = random_bytes(1, shape.size(), shape.width);
    const int height = static_cast<int>(shape.height), width = static_cast<int>(shape.width);
    for (bool mirror : {false, true})
      for (int down = -2; down <= 2; ++down)
        for (int right = -2; right <= 2; ++right) {
          const auto out = run(shape, image.row(0), mirror, down, right);
          for (int i = 0; i < static_cast<int>(shape.size()); ++i) {
            const int c = i / (height * width), y = i / width % height, x = i % width;
            const int from_y = std::clamp(y + down, 0, height - 1), padded_x = std::clamp(x + right, 0, width - 1);
            const int from_x = mirror ? width - 1 - padded_x : padded_x;
            ASSERT_EQ(out[i], image[0][(c * height + from_y) * width + from_x])
                << mirror << " " << down << " " << right << " at " << i;
          }
        }
  }
}

TEST(FlipCrop, TheMiddleCropIsTheImage) {
  const Shape shape = {1, 4, 4};
  const Matrix<std::uint8_t> image = random_bytes(1, shape.size(), 9);
  EXPECT_TRUE(std::ranges::equal(run(shape, image.row(0), false, 0, 0), image[0]));
}

TEST(FlipCrop, EveryCropIsEquallyLikely) {
  // The pixel that comes to the middle of an image whose pixels are their own places tells the crop.
  const Shape shape = {1, 5, 5};
  std::vector<std::uint8_t> image(25), out(25);
  for (std::uint8_t i = 0; i < 25; ++i) image[i] = i;
  const Dataset data = byte_data(shape, {image});
  const Augmenter augmenter("flip-crop", data, 3);
  std::vector<int> seen(25);
  int mirrored = 0;
  const std::uint32_t rounds = 25000;
  for (std::uint32_t sample = 0; sample < rounds; ++sample) {
    augmenter.write(image.data(), 0, sample, out.data());
    ++seen[out[12]];
    mirrored += out[10] > out[14];
  }
  for (int count : seen) EXPECT_NEAR(count, 1000, 150);
  EXPECT_NEAR(mirrored, rounds / 2, 400);
}

}  // namespace
}  // namespace firn
