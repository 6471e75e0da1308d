#include "firn/data/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "firn/data/sources/csv.h"
#include "tests/support/expect_error.h"
#include "tests/support/input_files.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Schema flowers() {
  return {.columns = {{.name = "id", .kind = ColumnKind::kIgnored},
                      {.name = "size", .kind = ColumnKind::kNumeric, .fill = 0.1},
                      {.name = "colour", .kind = ColumnKind::kCategorical, .categories = {"", "red", "\"blue\"\n"}}},
          .values = CellValues::kReals,
          .has_header = true,
          .label = "kind",
          .label_position = 1};
}

TEST(Schema, NamesEveryFeature) {
  EXPECT_THAT(feature_names(flowers()), ElementsAre("size", "colour=(missing)", "colour=red", "colour=\"blue\"\n"));
  EXPECT_EQ(feature_count(flowers()), 4u);
  const std::vector<FeatureRange> ranges = feature_ranges(flowers());
  EXPECT_EQ(ranges[0].count, 0u);
  EXPECT_EQ(ranges[2].first, 1u);
  EXPECT_EQ(ranges[2].count, 3u);
}

TEST(Schema, ComesBackFromItsText) {
  for (const CellValues values : {CellValues::kReals, CellValues::kBytes, CellValues::kBits}) {
    Schema schema = flowers();
    schema.values = values;
    schema.has_header = values == CellValues::kBits;
    if (values != CellValues::kReals) schema.columns[1].fill = 1;
    EXPECT_EQ(parse_schema(to_json(schema), "a.firn"), schema);
  }
}

TEST(Schema, RefusesDamagedText) {
  const std::string text = to_json(flowers());
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_THAT(error_of([&] { parse_schema(text.substr(0, length), "a.firn"); }),
                AllOf(HasSubstr("a.firn"), HasSubstr("damaged")));
  const auto damaged = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return error_of([&] { parse_schema(changed, "a.firn"); });
  };
  EXPECT_THAT(damaged("\"numeric\"", "\"number\""), HasSubstr("its schema has a damaged \"kind\""));
  EXPECT_THAT(damaged("\"red\"", "\"\""), HasSubstr("categories"));
  EXPECT_THAT(damaged("\"label_position\":1", "\"label_position\":4"), HasSubstr("label_position"));
  EXPECT_THAT(damaged("\"fill\":0.1", "\"fill\":\"x\""), HasSubstr("fill"));
}

TEST(Schema, MissingValuesBecomeWhatCellsMayHold) {
  const auto refusal = [](CellValues values, double fill) {
    const Schema schema{.columns = {{.name = "size", .fill = fill}}, .values = values};
    return error_or_none([&] { parse_schema(to_json(schema), "a.firn"); });
  };
  for (const auto& [values, fill] :
       {std::pair(CellValues::kBits, 1.0), std::pair(CellValues::kBytes, 255.0), std::pair(CellValues::kReals, -3e38)})
    EXPECT_EQ(refusal(values, fill), kNoError);
  for (const auto& [values, fill] :
       {std::pair(CellValues::kBits, 1e9), std::pair(CellValues::kBits, 0.5), std::pair(CellValues::kBytes, 256.0),
        std::pair(CellValues::kBytes, -1.0), std::pair(CellValues::kReals, 1e300)})
    EXPECT_THAT(refusal(values, fill), HasSubstr("damaged \"fill\"")) << fill;
}

TEST(Schema, OfNamesRefusesEmptyAndRepeatedNames) {
  const std::vector<std::string> names = {"a", "b"}, repeated = {"a", "a"}, empty = {"a", ""};
  EXPECT_THAT(feature_names(schema_of_names(names, CellValues::kBytes)), ElementsAre("a", "b"));
  EXPECT_THAT(error_of([&] { schema_of_names(repeated, CellValues::kReals); }), HasSubstr("'a'"));
  EXPECT_THAT(error_of([&] { schema_of_names(empty, CellValues::kReals); }), HasSubstr("empty"));
}

TEST(Schema, OfATableHasTheNamesOfItsHeader) {
  const TemporaryFolder folder;
  write_input(folder / "a.csv", "size,kind,colour\n1.5,yes,red\n-2,no,blue\n");
  const Dataset dataset = load_csv({.root = folder.path().string(), .file = "a.csv", .label_column = "kind"});
  ASSERT_TRUE(dataset.schema);
  EXPECT_THAT(feature_names(*dataset.schema), ElementsAre("size", "colour=blue", "colour=red"));
  EXPECT_EQ(dataset.schema->label, "kind");
  EXPECT_EQ(dataset.schema->label_position, 1u);
}

}  // namespace
}  // namespace firn
