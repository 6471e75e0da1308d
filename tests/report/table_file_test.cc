#include "firn/report/table_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::HasSubstr;

TEST(TableFile, FindsColumnsByNameAndIgnoresARowThatIsStillBeingWritten) {
  const TemporaryFolder folder;
  write_file(folder / "t.csv", "layer,score\n\"a,b\",-1.5e-9\nc,2\nd,3");
  const TableFile table(folder / "t.csv");
  ASSERT_EQ(table.rows(), 2u);
  EXPECT_EQ(table.text(0, table.column("layer")), "a,b");
  EXPECT_EQ(table.number(0, table.column("score")), -1.5e-9);
  EXPECT_EQ(table.number(1, table.column("score")), 2);
}

TEST(TableFile, AFileWithoutRowsHasItsColumns) {
  const TemporaryFolder folder;
  write_file(folder / "t.csv", "layer,score\n");
  EXPECT_EQ(TableFile(folder / "t.csv").rows(), 0u);
  EXPECT_EQ(TableFile(folder / "t.csv").column("score"), 1u);
}

TEST(TableFile, NamesWhatIsWrong) {
  const TemporaryFolder folder;
  write_file(folder / "t.csv", "layer,score\na,1\nb,many\n");
  const TableFile table(folder / "t.csv");
  EXPECT_THAT(error_of([&] { table.column("gate"); }), HasSubstr("no column \"gate\""));
  EXPECT_THAT(error_of([&] { table.number(1, 1); }), HasSubstr("line 3: \"many\" is not a number"));
}

TEST(TableFile, WholeNumbersAreExactOrRefused) {
  const TemporaryFolder folder;
  write_file(folder / "t.csv", "neuron\n0\n9007199254740992\n-1\n0.5\n1.8446744073709550e19\nnan\ninf\nconv1\n");
  const TableFile table(folder / "t.csv");
  EXPECT_EQ(table.whole(0, 0), 0u);
  EXPECT_EQ(table.whole(1, 0), std::uint64_t{1} << 53);
  EXPECT_THAT(error_of([&] { table.whole(2, 0); }), HasSubstr("line 4: \"-1\" is not a whole number"));
  for (std::size_t row = 3; row < table.rows(); ++row) error_of([&] { table.whole(row, 0); });
}

}  // namespace
}  // namespace firn
