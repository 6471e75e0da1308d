#include "firn/data/header.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/sources/csv.h"
#include "tests/support/expect_error.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> header_of(const std::string& text, const std::string& label_column = "") {
  FieldTable table = parse_csv(text, "f.csv");
  if (first_row_is_header(table, label_column)) make_first_row_header(table);
  return table.header;
}

// Twelve rows of `features` numbers and a label.
std::string rows(std::size_t features, const std::vector<std::string>& labels) {
  std::string text;
  for (std::size_t r = 0; r < 12; ++r) {
    for (std::size_t f = 0; f < features; ++f) text += fmt::format("{}.5,", (r * 7 + f) % 10);
    text += labels[r % labels.size()] + "\n";
  }
  return text;
}

TEST(Header, IsSeenAboveNumbersAndAboveWords) {
  EXPECT_THAT(header_of("x,y\n1,a\n?,b\n"), ElementsAre("x", "y"));
  EXPECT_THAT(header_of(",x\n0,a\n1,b\n"), ElementsAre("column 0", "x"));
  EXPECT_THAT(header_of("x,y\n1,a\n2,b\n"), ElementsAre("x", "y"));
  EXPECT_THAT(header_of("colour,size\nred,big\nblue,small\n"), ElementsAre("colour", "size"));
  EXPECT_THAT(header_of("colour,size\nred,big\nblue,small\nred,big\nblue,big\n"), ElementsAre("colour", "size"));
  EXPECT_THAT(header_of("a,b,kind\n" + rows(2, {"x", "y"})), ElementsAre("a", "b", "kind"));
}

TEST(Header, IsWhatTheUserNames) {
  EXPECT_THAT(header_of("red,big\nblue,big\n", "big"), ElementsAre("red", "big"));
  EXPECT_THAT(header_of("2019,2020,kind\n" + rows(2, {"x", "y"}), "kind"), ElementsAre("2019", "2020", "kind"));
  const std::vector<std::string> declared = {"2019", "b"};
  EXPECT_TRUE(first_row_is_header(parse_csv("2019,b\n1,2\n", "f"), "", declared));
}

TEST(Header, RowsOfValuesAreRows) {
  EXPECT_TRUE(header_of("red,big\nblue,big\n").empty());
  EXPECT_TRUE(header_of("1,a\n2,b\n").empty());
  EXPECT_TRUE(header_of(rows(3, {"x", "y"})).empty());
  EXPECT_TRUE(header_of(rows(3, {"0", "1"})).empty());
  EXPECT_TRUE(
      header_of(rows(3, {"1.5", "2.5", "3.5", "4.5", "5.5", "6.5", "7.5", "8.5", "9.5", "1", "2", "3"})).empty());
  EXPECT_TRUE(header_of("rare,5,yes\nred,6,yes\nred,7,no\nred,8,no\n").empty()) << "a rare word proves nothing";
}

TEST(Header, MixedEvidenceIsLeftToTheUser) {
  for (const std::string& text : {
           "0,1,2,3,kind\n" + rows(4, {"x", "y"}),        // numbers as names
           "2019,2020,kind\n" + rows(2, {"x", "y"}),      //
           "2019,2020,2021\n" + rows(2, {"0", "1"}),      // the label is a number, too
           std::string("x,yes,kind\n1,yes,a\n2,no,b\n"),  // a name that is also a value
           std::string("c,yes,kind\nd,yes,a\ne,no,b\nd,no,a\ne,no,b\n"),
           "12abc,3,x\n" + rows(2, {"x", "y"}),    // a damaged first cell
           "12abc,3.5,z\n" + rows(2, {"x", "y"}),  //
           "inf,3,yes\n" + rows(2, {"yes", "no"}),
           "2nd,b,x\n" + rows(2, {"x", "y"}),
           "abc,3,x\n" + rows(2, {"x", "y"}),
           "a,NA,kind\n" + rows(2, {"x", "y"}),
       })
    EXPECT_THAT(error_or_none([&] { header_of(text); }),
                AllOf(HasSubstr("f.csv, line 1"), HasSubstr("names"), HasSubstr("data.header")))
        << text;
}

TEST(Header, ARowThatNumbersTheColumnsIsLeftToTheUser) {
  for (const char* text : {"0,1\n5,1\n7,1\n", "1,2\n5,2\n", "0,1,2\n5,6,2\n", "1,2,3,4\n5,6,7,4\n1,2,3,4\n"})
    EXPECT_THAT(error_or_none([&] { header_of(text); }), HasSubstr("numbers the columns")) << text;
  EXPECT_TRUE(header_of("0,1\n1,0\n0,1\n").empty()) << "it comes again";
}

}  // namespace
}  // namespace firn
