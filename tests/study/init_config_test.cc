#include "firn/study/init_config.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/study/config_text.h"
#include "firn/study/settle.h"
#include "tests/support/expect_error.h"
#include "tests/support/input_files.h"
#include "tests/support/png.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class InitConfigTest : public ::testing::Test {
 protected:
  std::string write_table(const std::string& name) {
    std::string text = "kind,size,weight\n";
    for (int i = 0; i < 50; ++i) text += fmt::format("{},{},{}.5\n", i % 2 ? "odd" : "even", i, 3 * i);
    write_input(folder_ / name, text);
    return (folder_ / name).string();
  }
  void write_images(const std::string& name) {
    for (int i = 0; i < 12; ++i) {
      const std::vector<std::uint8_t> pixels(16 * 14 * 3, static_cast<std::uint8_t>(20 * i));
      write_input(folder_ / fmt::format("{}/{}/{}.png", name, i % 2 ? "dark" : "light", i),
                  png_bytes(PNG_FORMAT_RGB, 14, 16, pixels.data()));
    }
  }
  TemporaryFolder folder_;
};

TEST_F(InitConfigTest, SuggestsWhatSettlingChooses) {
  const std::string file = write_table("own.csv");
  const std::string text = init_config({.data = file, .label = "kind"});
  EXPECT_THAT(text, AllOf(HasSubstr("name = \"own\""), HasSubstr("2 features, 2 classes"),
                          HasSubstr("label_column = \"kind\""), HasSubstr("scope = \"feature\"")));
  const Config written = parse_config(text, "own.toml");
  Config settled = settle(parse_config(fmt::format("name = \"own\"\n[data]\nsource = \"csv\"\nfile = \"{}\"\n"
                                                   "label_column = \"kind\"\nvalidation = 5",
                                                   file),
                                       "short"),
                          "");
  EXPECT_EQ(to_toml(settle(written, "")), to_toml(settled));
}

TEST_F(InitConfigTest, FindsTrainAndTestFoldersOfImages) {
  write_images("photos/train");
  write_images("photos/test");
  const DataSettings settings = data_settings_for({.data = (folder_ / "photos").string()});
  EXPECT_EQ(settings.source, "images");
  EXPECT_EQ(settings.file, (folder_ / "photos/train").string());
  EXPECT_EQ(settings.test_file, (folder_ / "photos/test").string());
  const Config config = parse_config(init_config({.data = (folder_ / "photos").string()}), "photos.toml");
  EXPECT_EQ(config.model.family, "list");
  EXPECT_EQ(config.data.split, "stratified");
}

TEST_F(InitConfigTest, RefusesWhatItCannotRead) {
  EXPECT_THAT(error_of([] { init_config({}); }), HasSubstr("no data"));
  EXPECT_THAT(error_of([] { init_config({.data = "nowhere.csv"}); }), HasSubstr("nowhere.csv"));
  write_input(folder_ / "one.png", "");
  EXPECT_THAT(error_of([&] { init_config({.data = (folder_ / "one.png").string()}); }), HasSubstr("one image"));
  write_images("photos");
  EXPECT_THAT(error_of([&] { init_config({.data = (folder_ / "photos").string(), .label = "kind"}); }),
              HasSubstr("\"kind\""));
  const std::string file = write_table("own.csv");
  EXPECT_THAT(error_of([&] { init_config({.data = file, .label = "sort"}); }), HasSubstr("sort"));
}

}  // namespace
}  // namespace firn
