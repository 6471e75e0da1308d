#include "firn/data/sources/csv.h"

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
using testing::Not;

Dataset load_with(DataSettings settings, std::string_view train, std::string_view test = "") {
  const TemporaryFolder folder;
  write_input(folder / "train.csv", train);
  write_input(folder / "test.csv", test);
  settings.root = folder.path().string();
  settings.file = "train.csv";
  settings.test_file = test.empty() ? "" : "test.csv";
  return load_csv(settings);
}

Dataset load(std::string_view train, std::string_view test = "", const std::string& label_column = "") {
  return load_with({.label_column = label_column}, train, test);
}

std::string message(std::string_view train, std::string_view test = "", const std::string& label_column = "") {
  return error_of([&] { load(train, test, label_column); });
}

TEST(LoadCsv, ReadsValuesToPredictWhenAskedTo) {
  const Dataset data = load_with({.task = "regression"}, "a,y\n1,2.5\n0,-1e3\n1,7\n", "y,a\n0.25,1\n");
  EXPECT_THAT(data.train.targets, ElementsAre(2.5f, -1000, 7));
  EXPECT_THAT(data.test.targets, ElementsAre(0.25f));
  EXPECT_TRUE(data.train.labels.empty() && data.class_names.empty());
  EXPECT_EQ(data.classes, 0u);
  EXPECT_TRUE(data.schema->label_is_value);
  EXPECT_EQ(parse_schema(to_json(*data.schema), "x"), *data.schema);
  EXPECT_THAT(error_of([] { load_with({.task = "regression"}, "a,y\n1,2\n0,high\n"); }),
              AllOf(HasSubstr("line 3"), HasSubstr("'y'"), HasSubstr("must be a number")));
  EXPECT_THAT(error_of([] { load_with({.task = "regression"}, "a,y\n1,2\n0,\n"); }), HasSubstr("must be a number"));
}

TEST(LoadCsv, NumbersThatAreHardlyClassesPointToRegression) {
  std::string fractions = "a,y\n", many = "a,y\n", few = "a,y\n";
  for (int i = 0; i < 300; ++i) {
    fractions += std::to_string(i) + "," + std::to_string(i % 30) + ".5\n";
    many += std::to_string(i) + "," + std::to_string(i % 250) + "\n";
    few += std::to_string(i) + "," + std::to_string(i % 30) + "\n";
  }
  EXPECT_THAT(message(fractions), AllOf(HasSubstr("30 different ones in 300 rows"), HasSubstr("\"regression\"")));
  EXPECT_THAT(message(many), HasSubstr("\"regression\""));
  EXPECT_EQ(load(few).classes, 30u);
}

TEST(ParseCsv, UnderstandsQuotesBlanksAndLineEnds) {
  const std::string text = "\xef\xbb\xbf a , \"b,1\"\t,\"say \"\"hi\"\"\"\r\n\r\n\"two\nlines\",,d";
  const FieldTable table = parse_csv(text, "f");
  ASSERT_EQ(table.rows(), 2u);
  EXPECT_THAT(table.fields, ElementsAre("a", "b,1", "say \"hi\"", "two\nlines", "", "d"));
  EXPECT_THAT(table.lines, ElementsAre(1, 3));
}

TEST(ParseCsv, TakesSemicolonsAndTabsWhereThereAreNoCommas) {
  EXPECT_THAT(parse_csv("1,\"5;2\"\n", "f").fields, ElementsAre("1", "5;2"));
  EXPECT_THAT(parse_csv("1,5;2\n", "f", ",").fields, ElementsAre("1", "5;2"));
  EXPECT_THAT(parse_csv("1,5;2\n", "f", ";").fields, ElementsAre("1,5", "2"));
  EXPECT_THAT(parse_csv("1;2\t3\n", "f", "tab").fields, ElementsAre("1;2", "3"));
  EXPECT_THAT(parse_csv("1;2\n3;4,5\n", "f").fields, ElementsAre("1", "2", "3", "4,5"));
  EXPECT_THAT(parse_csv("1\t2\n", "f").fields, ElementsAre("1", "2"));
}

TEST(ParseCsv, AFirstLineOfTabsOnlyIsReadInOnePass) {
  const std::string tabs(std::size_t{1} << 20, '\t');
  EXPECT_THAT(parse_csv(tabs + "\n1,2\n", "f").fields, ElementsAre("1", "2"));
  EXPECT_THAT(parse_csv("a" + tabs + ",b\n", "f").fields, ElementsAre("a", "b"));
  EXPECT_EQ(parse_csv(",\t" + tabs + "a\t \tb\n", "f", "tab").fields.back(), "b");
  EXPECT_THAT(error_of([&] { parse_csv(tabs + ",a" + tabs + "b\n", "f"); }), HasSubstr("by commas or by tabs"));
}

TEST(ParseCsv, RefusesToGuessTheSeparator) {
  EXPECT_THAT(error_of([] { parse_csv("3,14;2,7\n", "f.csv"); }),
              AllOf(HasSubstr("f.csv, line 1"), HasSubstr("commas or by semicolons"), HasSubstr("data.separator")));
  EXPECT_THAT(error_of([] { parse_csv("\na;b\tc\n", "f.csv"); }), HasSubstr("semicolons or by tabs"));
}

TEST(ParseCsv, EveryLineEndIsOne) {
  for (const char* text : {"a,1\nb,2\n", "a,1\r\nb,2\r\n", "a,1\rb,2\r", "a,1\rb,2", "a,1\n\rb,2"})
    EXPECT_THAT(parse_csv(text, "f").fields, ElementsAre("a", "1", "b", "2")) << text;
  EXPECT_THAT(parse_csv("\"a\r\nb\",1\r\n", "f").fields, ElementsAre("a\r\nb", "1"));
}

TEST(ParseCsv, RefusesWhatIsNotUtf8Text) {
  EXPECT_THAT(error_of([] { parse_csv(std::string_view("\xff\xfe\x61\0", 4), "f.csv"); }),
              AllOf(HasSubstr("f.csv is UTF-16"), HasSubstr("UTF-8")));
  EXPECT_THAT(error_of([] { parse_csv(std::string_view("\xfe\xff\0\x61", 4), "f.csv"); }), HasSubstr("UTF-16"));
  EXPECT_THAT(error_of([] { parse_csv(std::string_view("a,b\n1\0,2\n", 9), "f.csv"); }),
              AllOf(HasSubstr("line 2"), HasSubstr("NUL")));
  EXPECT_THAT(error_of([] { parse_csv("a,b\nM\xfcll,2\n", "f.csv"); }), AllOf(HasSubstr("line 2"), HasSubstr("0xfc")));
  EXPECT_THAT(parse_csv("a,M\u00fcll\n", "f").fields, ElementsAre("a", "M\u00fcll"));
}

TEST(ParseCsv, NamesTheLineOfARaggedRow) {
  EXPECT_THAT(error_of([] { parse_csv("1,2,3\n\"4\n4\",5,6\n7,8\n", "f.csv"); }),
              AllOf(HasSubstr("f.csv, line 4"), HasSubstr("2 fields where the lines before have 3")));
}

TEST(ParseCsv, RefusesOpenQuotesAndTextAfterThem) {
  EXPECT_THAT(error_of([] { parse_csv("1,2\n\"3,4\n", "f.csv"); }), HasSubstr("f.csv, line 2"));
  EXPECT_THAT(error_of([] { parse_csv("\"a\"b,2\n", "f.csv"); }), HasSubstr("closing quote"));
}

TEST(Header, CanBeDeclaredAndHasNoNameTwice) {
  EXPECT_EQ(load_with({.header = "absent"}, "u,y\nz,a\nx,b\n").schema->label, "column 1");
  EXPECT_EQ(load_with({.header = "present"}, "2019,2020\n1,0\n2,1\n").schema->label, "2020");
  EXPECT_EQ(load_with({.columns = {"2019:ignore", "x:numeric"}}, "2019,x,kind\n1,5,a\n2,5,b\n").schema->label, "kind");
  const std::string numbered = "0,1,2,3\n5,6,7,a\n5,6,8,b\n";
  EXPECT_THAT(message(numbered),
              AllOf(HasSubstr("line 1"), HasSubstr("numbers the columns"), HasSubstr("data.header")));
  EXPECT_EQ(load_with({.header = "present"}, numbered).train.count(), 2u);
  EXPECT_EQ(load_with({.header = "absent"}, numbered, "0,1,2,3\n").train.count(), 3u);
  EXPECT_THAT(error_of([] { load_with({}, "a,a,y\n1,2,0\n1,2,1\n"); }), HasSubstr("two columns are called 'a'"));
}

TEST(Csv, NamesOfClassesCanBeStored) {
  const Dataset dataset = load("size,kind\n1,M\u00fcll\n2,\"two\nlines\"\n");
  EXPECT_THAT(dataset.class_names, ElementsAre("M\u00fcll", "two\ufffdlines"));
  EXPECT_THAT(dataset.train.labels, ElementsAre(0, 1));
  EXPECT_THAT(message("size,kind\n1,\"a\nb\"\n2,\"a\tb\"\n"), HasSubstr("two classes that read"));
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

TEST(Csv, TheTestFileIsMatchedByName) {
  const std::string train = "size,colour,kind\n1.5,red,yes\n-2,blue,no\n";
  const Dataset dataset = load(train, "kind,size,colour\nno,7,red\n");
  EXPECT_THAT(dataset.test.reals[0], ElementsAre(7.f, 0.f, 1.f));
  EXPECT_THAT(dataset.test.labels, ElementsAre(0));
  EXPECT_THAT(message(train, "7,red,no\n"), AllOf(HasSubstr("test.csv, line 1"), HasSubstr("add a header")));
  EXPECT_THAT(message(train, "size,hue,kind\n7,red,no\n"),
              AllOf(HasSubstr("test.csv"), HasSubstr("lacks the column colour"), HasSubstr("hue")));
  EXPECT_THAT(message(train, "size,colour,kind,id\n7,red,no,1\n"), HasSubstr("the column id"));
  EXPECT_THAT(message(train, "size,colour\n7,red\n"), HasSubstr("no label column 'kind'"));
}

TEST(Csv, ClassesAndCategoriesAreThoseOfTheTrainingFile) {
  const std::string train = "colour,y\nred,a\nblue,b\n";
  EXPECT_THAT(message(train, "colour,y\nred,A\n"),
              AllOf(HasSubstr("test.csv, line 2"), HasSubstr("the class 'A'"), HasSubstr("it knows a, b")));
  EXPECT_THAT(message(train, "colour,y\nRed,a\n"),
              AllOf(HasSubstr("test.csv, line 2: column 'colour' holds 'Red'"), HasSubstr("blue, red")));
  EXPECT_THAT(load_with({.unknown = "ignore"}, train, "colour,y\nRed,a\n").test.bytes[0], ElementsAre(0, 0));
  const Dataset listed = load_with({.columns = {"colour:categorical(red|green|blue)"}}, train, "colour,y\ngreen,a\n");
  EXPECT_THAT(listed.test.bytes[0], ElementsAre(0, 255, 0));
  EXPECT_THAT(feature_names(*listed.schema), ElementsAre("colour=red", "colour=green", "colour=blue"));
}

// A numeric column of twenty rows with one cell changed.
std::string with_cell(const std::string& cell) {
  std::string text = "x;y\n";
  for (int i = 0; i < 20; ++i) text += (i == 7 ? cell : std::to_string(i)) + ";" + (i % 2 == 0 ? "a" : "b") + "\n";
  return text;
}

TEST(Csv, OneBadCellNeverMakesAColumnCategorical) {
  for (const char* cell : {"12abc", "1e999", "0x1F", "3,14", "1.2.3", "inf", "--4", "1 2", "seven"}) {
    EXPECT_THAT(message(with_cell(cell)), AllOf(HasSubstr("train.csv, line 9: column 'x' holds '" + std::string(cell)),
                                                HasSubstr("19 of its 20"), HasSubstr("data.columns")));
    const Dataset declared = load_with({.columns = {"x:categorical"}}, with_cell(cell));
    EXPECT_EQ(declared.shape.channels, 20u);
    EXPECT_THAT(error_of([&] { load_with({.columns = {"x:numeric"}}, with_cell(cell)); }),
                AllOf(HasSubstr("line 9: column 'x' holds"), HasSubstr("not a number")));
  }
}

TEST(Csv, DecimalCommasAreRefusedEvenWhereTheyAreTheRule) {
  EXPECT_THAT(message("x;y\n3,14;a\n2,7;b\n5;a\n"), AllOf(HasSubstr("line 2"), HasSubstr("'3,14'")));
  EXPECT_THAT(message("x,y\n0x1F,a\n0x20,b\n"),
              AllOf(HasSubstr("line 2: column 'x' holds '0x1F'"), HasSubstr("not a number that Firn reads"),
                    Not(HasSubstr("0 of its")), HasSubstr("[\"x:categorical\"]")));
}

TEST(Csv, WordsWithDigitsAreCategories) {
  EXPECT_EQ(load("3a,0\n3b,1\n4c,1\n2020-01-02,0\n1.2.3,1\n7,1\n").shape.channels, 6u);
}

TEST(Csv, ColumnsCanBeDeclared) {
  const std::string text = "id,zip,flag,y\n1,1234,0,a\n2,1235,1,b\n";
  const Dataset dataset = load_with({.columns = {"id:ignore", "zip:categorical"}}, text);
  EXPECT_THAT(feature_names(*dataset.schema), ElementsAre("zip=1234", "zip=1235", "flag"));
  EXPECT_FALSE(dataset.train.has_reals());
  EXPECT_TRUE(load_with({.columns = {"id:ignore", "zip:categorical", "flag:numeric"}}, text).train.has_reals());
  EXPECT_EQ(load_with({.columns = {"0:ignore", "-3:ignore"}}, text).shape.channels, 1u);
  const auto refused = [&](const std::string& entry) {
    return error_of([&] { load_with({.columns = {"id:ignore", entry}}, text); });
  };
  EXPECT_THAT(refused("zip"), HasSubstr("\"zip\" in data.columns"));
  EXPECT_THAT(refused("zip:number"), HasSubstr("NAME:numeric"));
  EXPECT_THAT(refused("code:numeric"), HasSubstr("no column 'code'"));
  EXPECT_THAT(refused("id:numeric"), HasSubstr("column 'id' twice"));
  EXPECT_THAT(refused("y:numeric"), HasSubstr("label column"));
  EXPECT_THAT(refused("zip:categorical(1|1)"), HasSubstr("'1' of 'zip' twice"));
  EXPECT_THAT(refused("zip:categorical(NA|1|?)"), HasSubstr("'?' of 'zip' twice"));
  EXPECT_THAT(refused("zip:categorical()"), HasSubstr("lists no category of 'zip'"));
}

TEST(Csv, NumbersThatHardlyRepeatAreNotClasses) {
  const auto table = [](int rows, int different) {
    std::string text = "a,y\n";
    for (int r = 0; r < rows; ++r) text += fmt::format("{},{}\n", r % 3, r % different + 5);
    return text;
  };
  EXPECT_THAT(message(table(20, 11)), AllOf(HasSubstr("11 different ones in 20 rows"), HasSubstr("\"regression\"")));
  EXPECT_EQ(load(table(20, 10)).classes, 10u);
  EXPECT_EQ(load(table(19, 19)).classes, 19u) << "too few rows to tell";
  EXPECT_THAT(error_of([] { load_with({.task = "regression", .header = "absent"}, "1,2\n0,high\n"); }),
              HasSubstr("line 2: column 1 holds 'high'"));
}

TEST(Csv, MissingValuesHaveAPolicy) {
  const std::string text = "x,colour,y\n1,red,a\n,?,b\n4,red,a\n2,blue,b\n";
  EXPECT_THAT(message(text), AllOf(HasSubstr("line 3: column 'x' has no value"), HasSubstr("data.missing")));
  const Dataset filled = load_with({.missing = "median"}, text, "x,colour,y\nNA,,b\n");
  EXPECT_THAT(filled.train.reals[1], ElementsAre(2.f, 1.f, 0.f, 0.f));
  EXPECT_THAT(filled.test.reals[0], ElementsAre(2.f, 1.f, 0.f, 0.f));
  EXPECT_THAT(error_of([&] { load_with({.missing = "refuse", .header = "present"}, "c,y\nred,a\n?,b\n"); }),
              AllOf(HasSubstr("line 3: column 'c' has no value"), HasSubstr("data.missing")));
  EXPECT_THAT(message("c,y\nred,a\nblue,b\n", "c,y\nNA,b\n"), HasSubstr("in training it always had one"));
  EXPECT_THAT(message("x,y\n1,a\n2,NA\n"), HasSubstr("line 3: the label is missing"));
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
  EXPECT_EQ(load("a,0\n?,1\nb,1\nb,0\n").shape.channels, 3u);
}

TEST(Csv, EveryWordForAMissingValueIsTheSameCategory) {
  const Dataset data = load("colour,y\n,a\nNA,b\n?,a\nred,b\n", "colour,y\nNULL,a\n");
  EXPECT_THAT(feature_names(*data.schema), ElementsAre("colour=(missing)", "colour=red"));
  for (const std::size_t row : {0, 1, 2}) EXPECT_THAT(data.train.bytes[row], ElementsAre(255, 0));
  EXPECT_THAT(data.test.bytes[0], ElementsAre(255, 0));
}

TEST(Csv, TheMedianIsTheLowerOne) {
  const Dataset data = load_with({.missing = "median"}, "x,y\n9,a\n1,b\n,a\n3,b\n5,a\n");
  EXPECT_EQ(data.schema->columns[0].fill, 3);
  EXPECT_EQ(data.train.reals[2][0], 3.f);
}

TEST(Csv, AnIndexWithoutANameIsRefused) {
  for (const int first : {0, 1}) {
    std::string text = ",a,kind\n";
    for (int r = 0; r < 6; ++r) text += fmt::format("{},{},{}\n", first + r, r * r % 5, r % 2 == 0 ? "x" : "y");
    EXPECT_THAT(message(text), AllOf(HasSubstr("numbers the rows"), HasSubstr("data.columns = [\"0:ignore\"]")));
    EXPECT_THAT(feature_names(*load_with({.columns = {"0:ignore"}}, text).schema), ElementsAre("a"));
    EXPECT_EQ(load("n" + text).shape.channels, 2u) << "a column with a name";
  }
  EXPECT_EQ(load(",a,kind\n5,1,x\n3,2,y\n4,2,y\n").shape.channels, 2u) << "no count of rows";
}

TEST(Csv, WordsThatNeverRepeatAreIds) {
  const auto table = [](int rows) {
    std::string text = "code,a,kind\n";
    for (int r = 0; r < rows; ++r) text += fmt::format("c{},{},{}\n", r, r % 3, r % 2 == 0 ? "x" : "y");
    return text;
  };
  EXPECT_THAT(message(table(20)), AllOf(HasSubstr("column 'code'"), HasSubstr("[\"code:ignore\"]")));
  EXPECT_EQ(load(table(19)).shape.channels, 20u);
  EXPECT_EQ(load_with({.columns = {"code:categorical"}}, table(20)).shape.channels, 21u);
  EXPECT_EQ(load(table(20) + "c7,0,x\n").shape.channels, 21u);
}

TEST(Csv, RefusesTablesThatMakeNoSense) {
  EXPECT_THAT(message(""), HasSubstr("train.csv is empty"));
  EXPECT_THAT(error_of([] { load_with({.header = "present"}, "a,b\n"); }), HasSubstr("header but no rows"));
  EXPECT_THAT(message("1\n2\n"), HasSubstr("only one column"));
  EXPECT_THAT(message("1,5\n2,5\n"), HasSubstr("same value in every row"));
  EXPECT_THAT(message("1,a\n2,b\n3,\n"), HasSubstr("line 3: the label is missing"));
  EXPECT_THAT(message("5,2\n3,4\n", "1,2,3\n"),
              AllOf(HasSubstr("test.csv has 3 columns"), HasSubstr("trained on 1 and the label")));
  EXPECT_THAT(message("5,2\n3\n"), HasSubstr("train.csv, line 2"));
}

TEST(Csv, RefusesFreeText) {
  std::string text;
  for (int i = 0; i < 1001; ++i) text += "word" + std::to_string(i) + "," + std::to_string(i % 2) + "\n";
  EXPECT_THAT(message(text), HasSubstr("more than 1000 different values"));
}

}  // namespace
}  // namespace firn
