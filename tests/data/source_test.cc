#include "firn/data/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "firn/data/crop.h"
#include "tests/support/expect_error.h"
#include "tests/support/input_files.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Sources, NamesAreDifferent) {
  std::set<std::string_view> names;
  for (const Source& source : sources()) {
    EXPECT_TRUE(names.insert(source.name).second) << source.name;
    EXPECT_FALSE(source.summary.empty()) << source.name;
  }
  EXPECT_TRUE(names.contains(DataSettings().source));
}

TEST(LoadDataset, AnUnknownSourceListsTheKnown) {
  EXPECT_THAT(error_of([] { load_dataset({.source = "cifar11"}); }), AllOf(HasSubstr("cifar11"), HasSubstr("cifar10")));
}

TEST(LoadDataset, FilesNeedANameThatExists) {
  for (const char* source : {"csv", "table", "npy"}) {
    DataSettings settings;
    settings.source = source;
    EXPECT_THAT(error_of([&] { load_dataset(settings); }), HasSubstr("data.file")) << source;
    settings.file = "no/such.file";
    EXPECT_THAT(error_of([&] { load_dataset(settings); }), HasSubstr("no/such.file")) << source;
  }
}

TEST(DataRoot, OptionThenEnvironmentThenData) {
  EXPECT_EQ(resolve_data_root("a", "b"), "a");
  EXPECT_EQ(resolve_data_root("", "b"), "b");
  EXPECT_EQ(resolve_data_root("", ""), "data");
  EXPECT_EQ(resolve_data_root("", nullptr), "data");
}

// Two channels of 5 x 4 pixels, each pixel telling where it is.
Dataset positions() {
  Dataset dataset;
  dataset.name = "positions";
  dataset.shape = {2, 5, 4};
  Matrix<std::uint8_t> images(1, 40);
  dataset.train.labels = {0};
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t y = 0; y < 5; ++y)
      for (std::size_t x = 0; x < 4; ++x)
        images[0][(c * 5 + y) * 4 + x] = static_cast<std::uint8_t>(100 * c + 10 * y + x);
  dataset.train.bytes = std::move(images);
  return dataset;
}

TEST(Crop, KeepsTheCentreOfEveryChannel) {
  Dataset dataset = positions();
  crop_centre(dataset, 2);
  EXPECT_EQ(dataset.shape, (Shape{2, 2, 2}));
  EXPECT_THAT(dataset.train.bytes[0], testing::ElementsAre(11, 12, 21, 22, 111, 112, 121, 122));
}

TEST(Crop, RefusesWhatCannotBeCropped) {
  Dataset dataset = positions();
  EXPECT_THAT(error_of([&] { crop_centre(dataset, 5); }), HasSubstr("at most 4"));
  DataSettings settings;
  settings.source = "parity";
  settings.crop = 2;
  EXPECT_THAT(error_of([&] { load_dataset(settings); }), HasSubstr("no images"));
}

TEST(LoadDataset, CropsImages) {
  const TemporaryFolder root;
  const std::string images = idx_bytes({1, 4, 4}, std::string_view("0123456789abcdef", 16));
  for (const char* part : {"train", "t10k"}) {
    write_input(root / "MNIST/raw" / (std::string(part) + "-images-idx3-ubyte"), images);
    write_input(root / "MNIST/raw" / (std::string(part) + "-labels-idx1-ubyte"), idx_bytes({1}, "\3"));
  }
  DataSettings settings;
  settings.source = "mnist";
  settings.root = root.path().string();
  settings.crop = 2;
  const Dataset dataset = load_dataset(settings);
  EXPECT_EQ(dataset.shape, (Shape{1, 2, 2}));
  EXPECT_THAT(dataset.test.bytes[0], testing::ElementsAre('5', '6', '9', 'a'));
}

}  // namespace
}  // namespace firn
