#include "firn/data/sources/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "firn/data/source.h"
#include "tests/support/expect_error.h"
#include "tests/support/input_files.h"
#include "tests/support/png.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

std::string grey(std::uint8_t value, std::size_t width = 3, std::size_t height = 2) {
  return png_bytes(PNG_FORMAT_GRAY, width, height, std::vector<std::uint8_t>(width * height, value).data());
}

// Two classes, two and one images, written in an order that is not theirs.
void write_images(const std::filesystem::path& folder) {
  write_input(folder / "dog/1.png", grey(30));
  write_input(folder / "cat/b.PNG", grey(20));
  write_input(folder / "cat/a.png", grey(10));
  write_input(folder / "cat/.hidden.png", "");
  write_input(folder / "cat/notes.txt", "no image");
}

DataSettings settings_for(const TemporaryFolder& folder, const std::string& test = "") {
  return {.source = "images", .root = folder.path().string(), .file = "pets", .test_file = test};
}

TEST(Images, ClassesAndFilesAreInTheOrderOfTheirNames) {
  const TemporaryFolder folder;
  write_images(folder / "pets");
  const Dataset d = load_dataset(settings_for(folder));
  EXPECT_EQ(d.name, "pets");
  EXPECT_EQ(d.shape, (Shape{1, 2, 3}));
  EXPECT_THAT(d.class_names, ElementsAre("cat", "dog"));
  EXPECT_THAT(d.train.labels, ElementsAre(0, 0, 1));
  EXPECT_THAT(d.train.bytes[0], Each(10));
  EXPECT_THAT(d.train.bytes[1], Each(20));
  EXPECT_THAT(d.train.bytes[2], Each(30));
  EXPECT_EQ(d.test.count(), 0u);
}

TEST(Images, TestImagesAreOfTheSameClasses) {
  const TemporaryFolder folder;
  write_images(folder / "pets");
  write_input(folder / "more/dog/x.png", grey(40));
  const Dataset d = load_images(settings_for(folder, "more"));
  EXPECT_THAT(d.test.labels, ElementsAre(1));
  EXPECT_THAT(d.test.bytes[0], Each(40));
  write_input(folder / "more/fox/x.png", grey(40));
  EXPECT_THAT(error_of([&] { load_images(settings_for(folder, "more")); }),
              AllOf(HasSubstr("fox"), HasSubstr("x.png")));
}

TEST(Images, NamesTheImageThatDiffers) {
  const TemporaryFolder folder;
  write_images(folder / "pets");
  write_input(folder / "pets/dog/2.png", grey(1, 4, 2));
  EXPECT_THAT(error_of([&] { load_images(settings_for(folder)); }),
              AllOf(HasSubstr("dog/2.png has 2 x 4 pixels in 1 channel"), HasSubstr("cat/a.png has 2 x 3 pixels")));
  write_input(folder / "pets/dog/2.png", png_bytes(PNG_FORMAT_RGB, 3, 2, std::vector<std::uint8_t>(18, 5).data()));
  EXPECT_THAT(error_of([&] { load_images(settings_for(folder)); }), HasSubstr("2 x 3 pixels in 3 channels"));
}

TEST(Images, RefusesWhatItCannotRead) {
  const TemporaryFolder folder;
  const auto message = [&] { return error_of([&] { load_images(settings_for(folder)); }); };
  EXPECT_THAT(message(), HasSubstr("pets"));
  std::filesystem::create_directories(folder / "pets");
  EXPECT_THAT(message(), HasSubstr("no PNG images"));
  write_images(folder / "pets");
  write_input(folder / "pets/dog/photo.jpg", "jpeg");
  EXPECT_THAT(message(), AllOf(HasSubstr("photo.jpg"), HasSubstr("PNG")));
  std::filesystem::remove(folder / "pets/dog/photo.jpg");
  write_input(folder / "pets/alone.png", grey(1));
  EXPECT_THAT(message(), AllOf(HasSubstr("alone.png"), HasSubstr("subfolder")));
  std::filesystem::remove(folder / "pets/alone.png");
  write_input(folder / "pets/dog/deep/1.png", grey(1));
  EXPECT_THAT(message(), HasSubstr("dog/deep"));
  std::filesystem::remove_all(folder / "pets/dog");
  EXPECT_THAT(message(), HasSubstr("one class only"));
}

}  // namespace
}  // namespace firn
