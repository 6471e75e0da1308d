#include "firn/data/sources/table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/input_files.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Dataset load_monks(std::string_view train, std::string_view test = "", const std::string& label_column = "") {
  const TemporaryFolder folder;
  write_input(folder / "monks.train", train);
  write_input(folder / "monks.test", test);
  return load_table({.root = folder.path().string(),
                     .file = "monks.train",
                     .test_file = test.empty() ? "" : "monks.test",
                     .label_column = label_column});
}

TEST(ParseTable, AnyBlanksSeparate) {
  const FieldTable table = parse_table("  1\t2 \r\n\n3   4", "f");
  EXPECT_THAT(table.fields, ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(table.lines, ElementsAre(1, 3));
}

TEST(ParseTable, NamesTheLineOfARaggedRow) {
  EXPECT_THAT(error_of([] { parse_table("1 2\n3\n", "f.txt"); }),
              AllOf(HasSubstr("f.txt, line 2"), HasSubstr("1 fields")));
}

TEST(Table, LabelFirstIntegersAreNamesAndTheIdIsLeftOut) {
  const Dataset dataset = load_monks(" 1 1 3 data_5\n 0 2 2 data_6\n 1 3 4 data_19\n", " 0 2 4 data_1\n");
  EXPECT_EQ(dataset.shape, (Shape{6, 1, 1}));  // 3 values of the first attribute, 3 of the second
  EXPECT_THAT(dataset.train.labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(dataset.train.bytes[0], ElementsAre(255, 0, 0, 0, 255, 0));
  EXPECT_THAT(dataset.test.bytes[0], ElementsAre(0, 255, 0, 0, 0, 255));
}

TEST(Table, BitsStayOneFeatureEachAndManyIntegersAreNumbers) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += fmt::format("{} {} {}\n", i % 3, i / 10, i);
  const Dataset dataset = load_monks(text);
  EXPECT_EQ(dataset.shape.channels, 2u);
  EXPECT_THAT(dataset.train.reals[15], ElementsAre(1.f, 15.f));
}

TEST(Table, AnotherColumnCanBeTheLabel) {
  const Dataset dataset = load_monks("1.5 a\n2.5 b\n3.5 a\n", "", "-1");
  EXPECT_THAT(dataset.class_names, ElementsAre("a", "b"));
  EXPECT_THAT(dataset.train.reals[2], ElementsAre(3.5f));
}

TEST(Table, RefusesAnIdWithoutFeatures) {
  EXPECT_THAT(error_of([] { load_monks("0 a\n1 b\n"); }), HasSubstr("no column left"));
}

}  // namespace
}  // namespace firn
