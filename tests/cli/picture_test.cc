#include "firn/cli/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

const Terminal kPlain{.columns = 20, .colour = false};
const Terminal kColoured{.columns = 20, .colour = true};

TEST(Picture, OneCharacterForTwoPixelsAboveEachOther) {
  const std::vector<std::uint8_t> pixels = {0,   255, 255,  //
                                            0,   255, 0,    //
                                            255, 0,   0};
  const Picture picture{pixels, "ab"};
  EXPECT_EQ(draw({1, 3, 3}, {&picture, 1}, kPlain), " @=  \n=    \nab   \n\n");
}

TEST(Picture, PicturesStandSideBySideAsFarAsTheyFit) {
  const std::vector<std::uint8_t> pixels(2 * 8, 255);
  const std::vector<Picture> three(3, Picture{pixels, "a long caption"});
  EXPECT_EQ(draw({1, 2, 8}, three, kPlain),
            "@@@@@@@@  @@@@@@@@  \na long c  a long c  \n\n"
            "@@@@@@@@  \na long c  \n\n");
}

TEST(Picture, ColoursAreTakenFromThreeChannels) {
  const std::vector<std::uint8_t> pixels = {1, 2, 3, 4, 5, 6};  // [channel][line]
  const Picture picture{pixels, ""};
  EXPECT_THAT(draw({3, 2, 1}, {&picture, 1}, kColoured), testing::StartsWith("\x1b[38;2;1;3;5;48;2;2;4;6m▀\x1b[0m"));
}

TEST(Picture, GreenIsBrighterThanBlueInShades) {
  const std::vector<std::uint8_t> green = {0, 255, 0}, blue = {0, 0, 255};
  const Picture pictures[] = {{green, ""}, {blue, ""}};
  EXPECT_EQ(draw({3, 1, 1}, pictures, kPlain).substr(0, 4), ":   ");
}

TEST(Picture, WideImagesAreThinnedToTheTerminal) {
  std::vector<std::uint8_t> pixels(2 * 50, 0);
  for (std::size_t x = 0; x < 50; x += 3) pixels[x] = 255;
  const Picture picture{pixels, ""};
  const std::string text = draw({1, 2, 50}, {&picture, 1}, kPlain);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            std::string(17, '=') + "  ");  // every third column of 50, lower half black
}

}  // namespace
}  // namespace firn
