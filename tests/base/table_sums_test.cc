#include "firn/base/table_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::HasSubstr;

class TableSumsTest : public testing::Test {
 protected:
  // A table of ten bytes, eight of which are covered.
  TableSumsTest() {
    write_file(table_, "a,b\n1,2\n");
    TableSums sums(folder_.path());
    sums.cover("t.csv");
    sums.store();
    write_file(table_, "a,b\n1,2\n3,");
  }

  TemporaryFolder folder_;
  const std::filesystem::path table_ = folder_ / "t.csv";
};

TEST_F(TableSumsTest, ATableMayGrow) {
  EXPECT_EQ(read_checked_table(table_), "a,b\n1,2\n3,");
  EXPECT_EQ(TableSums(folder_.path()).all().at("t.csv").bytes, 8U);
}

TEST_F(TableSumsTest, EveryFlippedBitThatIsCoveredIsRefused) {
  const std::string whole = read_text(table_);
  for (std::size_t bit = 0; bit < 64; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write_file(table_, damaged);
    EXPECT_THAT(error_of([&] { read_checked_table(table_); }), HasSubstr("t.csv is damaged")) << bit;
  }
}

TEST_F(TableSumsTest, AShorterTableIsRefused) {
  write_file(table_, "a,b\n");
  EXPECT_THAT(error_of([&] { read_checked_table(table_); }), HasSubstr("it has 4 bytes but had 8 before"));
}

TEST_F(TableSumsTest, LessCanBeCoveredBeforeATableIsCut) {
  TableSums sums(folder_.path());
  sums.cover_less("t.csv", read_text(table_), 4);
  sums.store();
  EXPECT_EQ(read_checked_table(table_), "a,b\n1,2\n3,");
  write_file(table_, "a,b\n");
  EXPECT_EQ(read_checked_table(table_), "a,b\n");
}

TEST_F(TableSumsTest, WhatWasCoveredBeforeIsNotReadAgain) {
  TableSums sums(folder_.path());
  write_file(table_, "a,b\n1,2\n");
  sums.cover("t.csv");
  write_file(table_, "a,b\n9,2\n3,4\n");  // damage between two checkpoints must not be covered up
  sums.cover("t.csv");
  sums.store();
  EXPECT_THAT(error_of([&] { read_checked_table(table_); }), HasSubstr("first 12 bytes"));
}

TEST_F(TableSumsTest, ADamagedListIsRefused) {
  std::string text = read_text(folder_ / TableSums::kFile);
  text[text.find("t.csv")] = 'u';
  write_file(folder_ / TableSums::kFile, text);
  EXPECT_THAT(error_of([&] { read_checked_table(table_); }), HasSubstr("checksums.json is damaged"));
}

TEST_F(TableSumsTest, TablesOfAnEarlierVersionAreRead) {
  std::filesystem::remove(folder_ / TableSums::kFile);
  EXPECT_EQ(read_checked_table(table_), "a,b\n1,2\n3,");
}

TEST_F(TableSumsTest, WholeTablesAreReplacedTogether) {
  write_covered_tables(folder_.path(), {{"t.csv", "x\n"}, {"u.csv", "y\n"}});
  EXPECT_EQ(read_checked_table(table_), "x\n");
  write_file(folder_ / "u.csv", "z\n");
  EXPECT_THAT(error_of([&] { read_checked_table(folder_ / "u.csv"); }), HasSubstr("u.csv is damaged"));
}

}  // namespace
}  // namespace firn
