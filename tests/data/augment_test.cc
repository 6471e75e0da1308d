#include "firn/data/augment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/small_data.h"

namespace firn {
namespace {

using testing::HasSubstr;

Dataset one_image() {
  Dataset data = byte_data({3, 8, 9}, {});
  data.train.bytes = random_bytes(1, data.shape.size(), 1);
  data.train.labels.resize(1);
  return data;
}

// The image's bytes, as a string.
std::string augmented(const Augmenter& augmenter, const Dataset& data, std::uint32_t epoch, std::uint32_t sample) {
  std::vector<std::uint8_t> out(data.shape.size());
  augmenter.write(data.train.bytes.row(0), epoch, sample, out.data());
  return {out.begin(), out.end()};
}

TEST(Augmenter, NoneCopies) {
  const Dataset data = one_image();
  const auto image = data.train.bytes[0];
  EXPECT_EQ(augmented(Augmenter("none", data, 1), data, 3, 4), std::string(image.begin(), image.end()));
}

TEST(Augmenter, IsAPureFunctionOfSeedEpochAndSample) {
  const Dataset data = one_image();
  for (const char* name : {"flip-crop", "rotate-shift"}) {
    const Augmenter augmenter(name, data, 1), again(name, data, 1);
    std::set<std::string> by_epoch, by_sample, by_seed;
    for (std::uint32_t i = 0; i < 20; ++i) {
      EXPECT_EQ(augmented(augmenter, data, i, 5), augmented(again, data, i, 5));
      by_epoch.insert(augmented(augmenter, data, i, 5));
      by_sample.insert(augmented(augmenter, data, 5, i));
      by_seed.insert(augmented(Augmenter(name, data, i), data, 5, 5));
    }
    EXPECT_GT(by_epoch.size(), 5u) << name;
    EXPECT_GT(by_sample.size(), 5u) << name;
    EXPECT_GT(by_seed.size(), 5u) << name;
  }
}

TEST(Augmenter, ChangesImagesOnly) {
  const Dataset table = byte_data({9, 1, 1}, {{1, 2, 3, 4, 5, 6, 7, 8, 9}});
  const Dataset reals = real_data({1, 2, 2}, {{0, 0, 1, 1}});
  for (const char* name : {"flip-crop", "rotate-shift"}) {
    EXPECT_THAT(error_of([&] { Augmenter(name, table, 1); }), HasSubstr("is for byte images, and toy has none"));
    EXPECT_THAT(error_of([&] { Augmenter(name, reals, 1); }), HasSubstr("is for byte images, and toy has none"));
  }
  EXPECT_EQ(error_or_none([&] { Augmenter("none", table, 1); }), kNoError);
  EXPECT_EQ(error_or_none([&] { Augmenter("none", reals, 1); }), kNoError);
}

TEST(Augmenter, UnknownNamesAreAnsweredWithTheKnown) {
  const Dataset data = one_image();
  EXPECT_THAT(error_of([&] { Augmenter("flip", data, 1); }),
              HasSubstr("no augmentation \"flip\"; choose none, flip-crop or rotate-shift"));
}

}  // namespace
}  // namespace firn
