#include "firn/data/cells.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(Cells, NumbersAreDecimalWithAPoint) {
  for (const char* cell : {"0", "-1", "+2", ".5", "3.", "1e-3", "-2.5E+10", "007"})
    EXPECT_TRUE(number_in(cell)) << cell;
  for (const char* cell : {"", "x", "12abc", "1e999", "1e39", "0x1F", "3,14", "+-3", "1 2", "inf", "nan", "1_000"})
    EXPECT_FALSE(number_in(cell)) << cell;
}

TEST(Cells, SomeWordsMeanThatAValueIsMissing) {
  for (const char* cell : {"", "?", "NA", "N/A", "NaN", "NULL", "None"}) EXPECT_TRUE(is_missing(cell)) << cell;
  for (const char* cell : {"0", "-", "none", "na", "missing"}) EXPECT_FALSE(is_missing(cell)) << cell;
}

TEST(Cells, SomeLookLikeNumbersOnly) {
  for (const char* cell :
       {"3,14", "-1,5", "1,234.5", "1.234,5", "0x1F", "1e999", "1e39", "inf", "-Infinity", "7%", "1'000", "1_000"})
    EXPECT_TRUE(looks_like_number(cell)) << cell;
  for (const char* cell : {"", "3.14", "12abc", "2020-01-02", "1.2.3", "10-20", "0x", "red", "e5", ","})
    EXPECT_FALSE(looks_like_number(cell)) << cell;
}

TEST(Cells, AreQuotedForMessages) {
  EXPECT_EQ(quote_cell("a\nb"), "'a\ufffdb'");
  EXPECT_EQ(quote_cell(std::string(39, 'x') + "\u00fc\u00fc"), "'" + std::string(39, 'x') + "...'");
}

}  // namespace
}  // namespace firn
