#include "firn/data/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "firn/data/rows.h"
#include "firn/data/source.h"
#include "firn/data/sources/csv.h"
#include "tests/support/expect_error.h"
#include "tests/support/input_files.h"
#include "tests/support/npy.h"
#include "tests/support/png.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SamplesTest : public testing::Test {
 protected:
  Dataset train(std::string_view text, const std::string& source = "csv") { return train({.source = source}, text); }

  Dataset train(DataSettings settings, std::string_view text) {
    write_input(folder_ / "train.csv", text);
    settings.root = folder_.path().string();
    settings.file = "train.csv";
    return load_dataset(settings);
  }

  static SampleNeeds needs(const Dataset& data) {
    return {.shape = data.shape,
            .reals = data.train.has_reals(),
            .schema = data.schema ? &*data.schema : nullptr,
            .class_names = data.class_names,
            .classes = data.classes};
  }

  SampleFile read(const Dataset& data, std::string_view text, bool has_header = true) {
    write_input(folder_ / "new.csv", text);
    SampleNeeds wanted = needs(data);
    wanted.has_header = has_header;
    return read_samples((folder_ / "new.csv").string(), wanted);
  }

  std::string refusal(const Dataset& data, std::string_view text, bool has_header = true) {
    return error_of([&] { read(data, text, has_header); });
  }

  TemporaryFolder folder_;
};

TEST_F(SamplesTest, ColumnsAreFoundByNameAndLabelsMayBeMissing) {
  const Dataset data = train("size,colour,kind\n1.5,red,yes\n-2,blue,no\n");
  const Examples labelled = read(data, "kind,colour,size\nno,red,7\n?,blue,8\n").examples;
  EXPECT_THAT(labelled.reals[0], ElementsAre(7.f, 0.f, 1.f));
  EXPECT_THAT(labelled.labels, ElementsAre(0, kNoLabel));
  const Examples unlabelled = read(data, "colour;size\nred;7\n").examples;
  EXPECT_THAT(unlabelled.reals[0], ElementsAre(7.f, 0.f, 1.f));
  EXPECT_THAT(unlabelled.labels, IsEmpty());
}

TEST_F(SamplesTest, PositionCountsOnlyIfTheUserSaysSo) {
  const Dataset data = train("size,colour,kind\n1.5,red,yes\n-2,blue,no\n");
  EXPECT_THAT(read(data, "7,red\n", false).examples.reals[0], ElementsAre(7.f, 0.f, 1.f));
  EXPECT_THAT(read(data, "7,red,yes\n", false).examples.labels, ElementsAre(1));
  for (const char* text : {"7,red\n", "7,red,yes\n", "SIZE,COLOUR\n7,red\n", "7,red,yes\n7,blue,no\n"})
    EXPECT_THAT(refusal(data, text), AllOf(HasSubstr("new.csv, line 1"), HasSubstr("none of the columns size, colour"),
                                           HasSubstr("--no-header")));
  const Dataset numbers = train("a,b,c,d,y\n1,2,3,4,0\n5,6,7,8,1\n");
  for (const char* text : {"2019,2020,2021,2022\n1,2,3,4\n", "0,1,2,3\n1,2,3,4\n"}) {
    EXPECT_THAT(refusal(numbers, text), HasSubstr("--no-header"));
    EXPECT_EQ(read(numbers, text, false).examples.count(), 2u);
  }
  EXPECT_THAT(refusal(train("a,b,y\n1,2,0\n5,6,1\n"), "0,1\n5,6\n"), HasSubstr("--no-header"));
}

TEST_F(SamplesTest, WithoutAHeaderInTrainingPositionCounts) {
  const Dataset data = train("1.5,red,yes\n-2,blue,no\n3,blue,no\n2,blue,yes\n");
  EXPECT_THAT(read(data, "7,red\n").examples.reals[0], ElementsAre(7.f, 0.f, 1.f));
  EXPECT_THAT(read(data, "7,red,yes\n").examples.labels, ElementsAre(1));
  EXPECT_THAT(refusal(data, "7\n"), AllOf(HasSubstr("has 1 column,"), HasSubstr("2 and the label")));
  EXPECT_THAT(refusal(data, "size,colour\n7,red\n"), AllOf(HasSubstr("line 1"), HasSubstr("'size'")));
  const Dataset numbers = train("1,2,3,5,0\n5,6,7,8,1\n5,6,7,9,0\n");
  EXPECT_THAT(refusal(numbers, "0,1,2,3\n1,2,3,4\n"), HasSubstr("--no-header"));
  EXPECT_EQ(read(numbers, "0,1,2,3\n1,2,3,4\n", false).examples.count(), 2u);
}

TEST_F(SamplesTest, PositionNeverGuessesWhichColumnIsLeftOut) {
  const Dataset data = train({.source = "csv", .columns = {"id:ignore"}}, "id,a,b,kind\n7,0.5,0.25,0\n8,0.75,0.5,1\n");
  EXPECT_THAT(read(data, "9,0.5,2,1\n", false).examples.reals[0], ElementsAre(0.5f, 2.f));
  EXPECT_THAT(read(data, "9,0.5,2,1\n", false).examples.labels, ElementsAre(1));
  EXPECT_THAT(read(data, "0.5,2\n", false).examples.reals[0], ElementsAre(0.5f, 2.f));
  EXPECT_THAT(refusal(data, "0.5,0.5,1\n", false), AllOf(HasSubstr("3 columns"), HasSubstr("the 2 features")));
  const Dataset middle = train({.source = "csv", .label_column = "kind", .columns = {"id:ignore"}},
                               "a,kind,id,b\n0.5,0,7,0.25\n0.75,1,8,0.5\n");
  EXPECT_THAT(read(middle, "3,1,9,4\n", false).examples.reals[0], ElementsAre(3.f, 4.f));
  EXPECT_THAT(read(middle, "3,4\n", false).examples.reals[0], ElementsAre(3.f, 4.f));
}

TEST_F(SamplesTest, ARowOfUnknownCategoriesIsNotTakenByPosition) {
  const std::string text = "colour,shape,kind\nred,round,yes\nblue,square,no\n";
  const Dataset data = train({.source = "csv", .unknown = "ignore"}, text);
  EXPECT_THAT(read(data, "red,oval\n", false).examples.bytes[0], ElementsAre(0, 255, 0, 0));
  EXPECT_THAT(read(data, "colour,shape\npink,oval\n").examples.bytes[0], ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(refusal(data, "red,round\nround,red\n", false), AllOf(HasSubstr("line 2"), HasSubstr("order")));
  EXPECT_THAT(refusal(data, "Colour,Shape\nred,round\n"), HasSubstr("line 1"));
  const Dataset headless =
      train({.source = "csv", .unknown = "ignore", .header = "absent"}, text.substr(text.find('\n') + 1));
  EXPECT_THAT(refusal(headless, "colour,shape\nred,round\n"), AllOf(HasSubstr("line 1"), HasSubstr("not one")));
}

TEST_F(SamplesTest, RefusalsReadWell) {
  const Dataset data = train("size,,kind\n1.5,3,yes\n-2,4,no\n");
  EXPECT_THAT(refusal(data, "size\n1\n"), HasSubstr("lacks the column 1 that"));
  EXPECT_THAT(refusal(data, "size,,kind,x\n1,2,yes,3\n"),
              HasSubstr("the column x, which the model was not trained on; remove it"));
  EXPECT_THAT(refusal(data, "sise,,kind\n1,2,yes\n"), HasSubstr("did you mean size?"));
  EXPECT_THAT(refusal(data, ""), AllOf(HasSubstr("new.csv is empty")));
  EXPECT_THAT(refusal(data, "size,;\n1,;\n"), AllOf(HasSubstr("quote the fields"), Not(HasSubstr("data.separator"))));
}

TEST_F(SamplesTest, BitsStayBits) {
  const Dataset data = train("a,b,y\n0,x,0\n1,z,1\n");
  EXPECT_THAT(read(data, "b,a\nz,1.0\n").examples.bytes[0], ElementsAre(255, 0, 255));
  EXPECT_THAT(refusal(data, "b,a\nz,0.5\n"), AllOf(HasSubstr("line 2: column 'a' holds 0.5"), HasSubstr("0 or 1")));
}

TEST_F(SamplesTest, TablesOfBlanksAreReadAsTheyWereTrained) {
  const Dataset data = train(" 1 1 3 data_5\n 0 2 2 data_6\n 1 3 4 data_19\n", "table");
  const Examples examples = read(data, "0 2 4 x\n1 1 2 x\n").examples;
  EXPECT_THAT(examples.bytes[0], ElementsAre(0, 255, 0, 0, 0, 255));
  EXPECT_THAT(examples.labels, ElementsAre(0, 1));
}

TEST_F(SamplesTest, NamedArraysTakeNumbersOfTheirKind) {
  const std::vector<std::string> names = {"a", "b"};
  Dataset data;
  data.shape = {2, 1, 1};
  data.classes = 2;
  data.schema = schema_of_names(names, CellValues::kBytes);
  EXPECT_THAT(read(data, "b,a\n255,0\n").examples.bytes[0], ElementsAre(0, 255));
  EXPECT_THAT(refusal(data, "b,a\n256,0\n"), AllOf(HasSubstr("256"), HasSubstr("0 to 255")));
  EXPECT_THAT(refusal(data, "b,a\n0.5,0\n"), HasSubstr("0 to 255"));
  EXPECT_THAT(refusal(data, "b,a,c\n0.5,0,1\n"), HasSubstr("the column c"));
}

TEST_F(SamplesTest, AModelWithoutNamesTakesNumbersByPosition) {
  const TemporaryFolder folder;
  SampleNeeds needs{.shape = {2, 1, 1}, .reals = true, .classes = 2};
  write_input(folder / "a.csv", "1,2\n3,4\n");
  const std::string file = (folder / "a.csv").string();
  EXPECT_THAT(read_samples(file, needs).examples.reals[1], ElementsAre(3.f, 4.f));
  needs.reals = false;
  EXPECT_THAT(error_of([&] { read_samples(file, needs); }), HasSubstr("without column names"));
  needs.shape = {1, 2, 1};
  EXPECT_THAT(error_of([&] { read_samples(file, needs); }), HasSubstr("takes images"));
  EXPECT_THAT(error_of([&] { read_samples(file, needs, "cvs"); }), HasSubstr("csv"));
}

TEST_F(SamplesTest, ABlankLineOfOneColumnIsNotSkipped) {
  const Dataset data = train("x,y\n1,a\n2,b\n");
  EXPECT_EQ(read(data, "x\n1\n2\n\n\n").examples.count(), 2u);
  EXPECT_THAT(refusal(data, "x\n1\n\n2\n"), AllOf(HasSubstr("line 3"), HasSubstr("missing value")));
}

// Whatever one byte becomes: the table is refused, or no other row reads differently.
TEST_F(SamplesTest, OneDamagedByteNeverTouchesOtherRows) {
  std::string text = "size,colour,kind,flag\n";
  for (int i = 0; i < 12; ++i)
    text += std::to_string(i * 7 % 12) + (i % 2 == 0 ? ".5,red," : ",\"dark blue\",") + (i % 3 == 0 ? "yes" : "no") +
            "," + std::to_string(i % 2) + "\n";
  write_input(folder_ / "train.csv", text);
  const Dataset data =
      load_dataset({.source = "csv", .root = folder_.path().string(), .file = "train.csv", .label_column = "kind"});
  const auto parse = [&](const std::string& bytes) {
    return read_rows(parse_csv(bytes, "new.csv"), {.schema = *data.schema, .class_names = data.class_names});
  };
  const Examples whole = parse(text);
  std::size_t refused = 0, read_anyway = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const char byte : {'0', '9', 'x', ',', ';', '"', '\n', '\r', '\t', ' ', '.', '-', 'e', '\0', '\xff'}) {
      std::string changed = text;
      changed[at] = byte;
      Examples found;
      if (error_or_none([&] { found = parse(changed); }) != kNoError) {
        ++refused;
        continue;
      }
      ++read_anyway;
      ASSERT_EQ(found.count(), whole.count()) << at << " " << byte;
      const auto row = std::ranges::count(text.substr(0, at), '\n') - 1;
      for (std::size_t r = 0; r < whole.count(); ++r)
        if (static_cast<std::ptrdiff_t>(r) != row) {
          EXPECT_TRUE(std::ranges::equal(found.reals[r], whole.reals[r]) && found.labels[r] == whole.labels[r])
              << at << " became " << byte << " and changed row " << r;
        }
    }
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(read_anyway, 100u);
}

TEST_F(SamplesTest, GzippedTablesAreUnpacked) {
  const Dataset data = train("x,y\n1,a\n2,b\n");
  write_gz(folder_ / "new.csv.gz", "x\n1\n");
  EXPECT_EQ(read_samples((folder_ / "new.csv.gz").string(), needs(data)).examples.count(), 1u);
}

TEST_F(SamplesTest, ArraysHaveTheShapeOfTheModel) {
  const std::vector<std::string> classes = {"3", "70000"};
  SampleNeeds needs{.shape = {2, 3, 4}, .class_names = classes, .classes = 2};
  write_input(folder_ / "x_new.npy", npy("|u1", "(1, 3, 4, 2)", std::string(24, '\7')));
  const std::string file = (folder_ / "x_new.npy").string();
  EXPECT_THAT(read_samples(file, needs).examples.bytes[0], testing::Each(7));
  EXPECT_THAT(read_samples(file, needs).examples.labels, IsEmpty());
  write_input(folder_ / "y_new.npy", npy("<i4", "(1,)", std::string_view("\x70\x11\1\0", 4)));
  EXPECT_THAT(read_samples(file, needs).examples.labels, ElementsAre(1));
  write_input(folder_ / "y_new.npy", npy("|u1", "(1,)", "\4"));
  EXPECT_THAT(error_of([&] { read_samples(file, needs); }), AllOf(HasSubstr("label 4"), HasSubstr("y_new.npy")));
  needs.shape = {2, 4, 3};
  EXPECT_THAT(error_of([&] { read_samples(file, needs); }), AllOf(HasSubstr("x_new.npy"), HasSubstr("4 x 3 pixels")));
}

TEST_F(SamplesTest, OnesInAnArrayAreBitsOnlyWhereThatIsCertain) {
  SampleNeeds needs{.shape = {2, 1, 1}, .classes = 2};
  write_input(folder_ / "a.npy", npy("|u1", "(1, 2)", std::string_view("\0\1", 2)));
  write_input(folder_ / "b.npy", npy("|b1", "(1, 2)", std::string_view("\0\1", 2)));
  const std::string bytes = (folder_ / "a.npy").string(), flags = (folder_ / "b.npy").string();
  EXPECT_THAT(error_of([&] { read_samples(bytes, needs); }), AllOf(HasSubstr("a.npy"), HasSubstr("astype(bool)")));
  EXPECT_THAT(read_samples(flags, needs).examples.bytes[0], ElementsAre(0, 255));
  needs.bits = true;
  EXPECT_THAT(read_samples(bytes, needs).examples.bytes[0], ElementsAre(0, 255));
  needs.bits = false;
  needs.reals = true;
  EXPECT_THAT(read_samples(bytes, needs).examples.reals[0], ElementsAre(0, 1));
}

TEST_F(SamplesTest, ArraysCannotHoldCategories) {
  const Dataset data = train("size,colour,kind\n1.5,red,yes\n-2,blue,no\n");
  write_input(folder_ / "a.npy", npy("|u1", "(1, 3)", "abc"));
  EXPECT_THAT(error_of([&] { read_samples((folder_ / "a.npy").string(), needs(data)); }), HasSubstr("'colour'"));
}

TEST_F(SamplesTest, ImagesAreCalledByTheirFiles) {
  const std::vector<std::string> classes = {"cat", "dog"};
  const SampleNeeds needs{.shape = {1, 2, 3}, .class_names = classes, .classes = 2};
  const std::string picture = png_bytes(PNG_FORMAT_GRAY, 3, 2, std::vector<std::uint8_t>(6, 9).data());
  write_input(folder_ / "new/b.png", picture);
  write_input(folder_ / "new/a.png", picture);
  const std::string folder = (folder_ / "new").string();
  EXPECT_THAT(read_samples(folder, needs).ids, ElementsAre("a.png", "b.png"));
  EXPECT_THAT(read_samples(folder, needs).examples.labels, IsEmpty());
  write_input(folder_ / "new/dog/c.png", picture);
  EXPECT_THAT(read_samples(folder, needs).ids, ElementsAre("a.png", "b.png", "dog/c.png"));
  EXPECT_THAT(read_samples(folder, needs).examples.labels, ElementsAre(kNoLabel, kNoLabel, 1));
  EXPECT_EQ(read_samples(folder + "/a.png", needs).examples.count(), 1u);
  write_input(folder_ / "new/fox/d.png", picture);
  EXPECT_THAT(error_of([&] { read_samples(folder, needs); }), AllOf(HasSubstr("fox"), HasSubstr("d.png")));
  EXPECT_THAT(error_of([&] {
                read_samples(folder + "/a.png", {.shape = {3, 2, 3}, .classes = 2});
              }),
              HasSubstr("3 channels are expected"));
}

}  // namespace
}  // namespace firn
