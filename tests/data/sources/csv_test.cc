#include "firn/data/sources/csv.h"

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

Dataset load(std::string_view train, std::string_view test = "", const std::string& label_column = "") {
  const TemporaryFolder folder;
  write_input(folder / "train.csv", train);
  write_input(folder / "test.csv", test);
  return load_csv({.root = folder.path().string(),
                   .file = "train.csv",
                   .test_file = test.empty() ? "" : "test.csv",
                   .label_column = label_column});
}

std::string message(std::string_view train, std::string_view test = "", const std::string& label_column = "") {
  return error_of([&] { load(train, test, label_column); });
}

TEST(ParseCsv, UnderstandsQuotesBlanksAndLineEnds) {
  const std::string text = "\xef\xbb\xbf a , \"b,1\"\t,\"say \"\"hi\"\"\"\r\n\r\n\"two\nlines\",,d";
  const FieldTable table = parse_csv(text, "f");
  ASSERT_EQ(table.rows(), 2u);
  EXPECT_THAT(table.fields, ElementsAre("a", "b,1", "say \"hi\"", "two\nlines", "", "d"));
  EXPECT_THAT(table.lines, ElementsAre(1, 3));
}

TEST(ParseCsv, TakesSemicolonsAndTabsWhereThereAreNoCommas) {
  EXPECT_THAT(parse_csv("1,5;2\n", "f").fields, ElementsAre("1", "5;2"));
  EXPECT_THAT(parse_csv("1;2\n3;4,5\n", "f").fields, ElementsAre("1", "2", "3", "4,5"));
  EXPECT_THAT(parse_csv("1\t2\n", "f").fields, ElementsAre("1", "2"));
}

TEST(ParseCsv, NamesTheLineOfARaggedRow) {
  EXPECT_THAT(error_of([] { parse_csv("1,2,3\n\"4\n4\",5,6\n7,8\n", "f.csv"); }),
              AllOf(HasSubstr("f.csv, line 4"), HasSubstr("2 fields where the lines before have 3")));
}

TEST(ParseCsv, RefusesOpenQuotesAndTextAfterThem) {
  EXPECT_THAT(error_of([] { parse_csv("1,2\n\"3,4\n", "f.csv"); }), HasSubstr("f.csv, line 2"));
  EXPECT_THAT(error_of([] { parse_csv("\"a\"b,2\n", "f.csv"); }), HasSubstr("closing quote"));
}

TEST(TakeHeader, SeesNamesAboveNumbersAndAboveWords) {
  const auto header_of = [](std::string_view text, const std::string& label_column = "") {
    FieldTable table = parse_csv(text, "f");
    take_header(table, label_column);
    return table.header;
  };
  EXPECT_THAT(header_of("x,y\n1,a\n2,b\n"), ElementsAre("x", "y"));
  EXPECT_THAT(header_of("colour,size\nred,big\nblue,small\n"), ElementsAre("colour", "size"));
  EXPECT_THAT(header_of("red,big\nblue,big\n", "big"), ElementsAre("red", "big"));
  EXPECT_TRUE(header_of("red,big\nblue,big\n").empty());
  EXPECT_TRUE(header_of("1,a\n2,b\n").empty());
}

TEST(Csv, NamesOfClassesCanBeStoredWhateverTheirBytes) {
  const Dataset dataset = load("size,kind\n1,M\xfcll\n2,\"two\nlines\"\n");
  EXPECT_THAT(dataset.class_names, ElementsAre("M\ufffdll", "two\ufffdlines"));
}

TEST(Csv, NumbersAreRealsAndWordsAreOneHot) {
  const Dataset dataset = load("size,colour,kind\n1.5,red,yes\n-2e1,blue,no\n+3,red,no\n");
  EXPECT_EQ(dataset.name, "train");
  EXPECT_EQ(dataset.shape, (Shape{3, 1, 1}));
  EXPECT_THAT(dataset.class_names, ElementsAre("no", "yes"));
  EXPECT_THAT(dataset.train.labels, ElementsAre(1, 0, 0));
  EXPECT_THAT(dataset.train.reals[0], ElementsAre(1.5f, 0.f, 1.f));
  EXPECT_THAT(dataset.train.reals[1], ElementsAre(-20.f, 1.f, 0.f));
  EXPECT_THAT(dataset.train.reals[2], ElementsAre(3.f, 0.f, 1.f));
  EXPECT_EQ(dataset.test.count(), 0u);
}

TEST(Csv, BinaryColumnsAreBytes) {
  const Dataset dataset = load("0,a,7\n1,b,12\n");
  EXPECT_FALSE(dataset.train.has_reals());
  EXPECT_THAT(dataset.train.bytes[0], ElementsAre(0, 255, 0));
  EXPECT_THAT(dataset.train.bytes[1], ElementsAre(255, 0, 255));
  EXPECT_THAT(dataset.class_names, ElementsAre("7", "12"));  // by value, not by letter
}

TEST(Csv, CategoriesAndClassesOfTheTestPartCount) {
  const Dataset dataset = load("colour,y\nred,0\nred,1\n", "colour,y\nblue,2\nred,1\n");
  EXPECT_EQ(dataset.classes, 3u);
  EXPECT_EQ(dataset.test.count(), 2u);
  EXPECT_THAT(dataset.test.bytes[0], ElementsAre(255, 0));
  EXPECT_THAT(dataset.train.bytes[0], ElementsAre(0, 255));
}

TEST(Csv, TheLabelColumnHasANameOrANumber) {
  const std::string text = "kind,x,y\na,1,5\nb,2,6\n";
  EXPECT_THAT(load(text, "", "kind").class_names, ElementsAre("a", "b"));
  EXPECT_THAT(load(text, "", "1").class_names, ElementsAre("1", "2"));
  EXPECT_THAT(load(text, "", "-3").class_names, ElementsAre("a", "b"));
  EXPECT_THAT(load(text).class_names, ElementsAre("5", "6"));
  EXPECT_THAT(message(text, "", "sort"), AllOf(HasSubstr("no column 'sort'"), HasSubstr("data.label_column")));
  EXPECT_THAT(message(text, "", "3"), HasSubstr("no column '3'"));
}

TEST(Csv, AMissingNumberIsRefusedAndAMissingWordIsACategory) {
  EXPECT_THAT(message("x,y\n1,0\n?,1\n3,1\n"), AllOf(HasSubstr("train.csv, line 3"), HasSubstr("column 'x'")));
  EXPECT_EQ(load("a,0\n?,1\nb,1\n").shape.channels, 3u);
}

TEST(Csv, RefusesTablesThatMakeNoSense) {
  EXPECT_THAT(message(""), HasSubstr("train.csv has no rows"));
  EXPECT_THAT(message("1\n2\n"), HasSubstr("only one column"));
  EXPECT_THAT(message("1,5\n2,5\n"), HasSubstr("same value in every row"));
  EXPECT_THAT(message("1,a\n2,b\n3,\n"), HasSubstr("line 3: the label is empty"));
  EXPECT_THAT(message("1,2\n3,4\n", "1,2,3\n"), AllOf(HasSubstr("test.csv has 3 columns"), HasSubstr("has 2")));
  EXPECT_THAT(message("1,2\n3\n"), HasSubstr("train.csv, line 2"));
}

TEST(Csv, RefusesFreeText) {
  std::string text;
  for (int i = 0; i < 1001; ++i) text += "word" + std::to_string(i) + "," + std::to_string(i % 2) + "\n";
  EXPECT_THAT(message(text), HasSubstr("more than 1000 different values"));
}

}  // namespace
}  // namespace firn
