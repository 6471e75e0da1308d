#include "firn/cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace firn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class OptionsTest : public testing::Test {
 protected:
  // The complaint about a command line; empty when it is accepted.
  std::string parse(const std::string& line) {
    try {
      app_.parse(line);
      return "";
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
  }

  CLI::App app_;
  Options options_{app_};
};

TEST_F(OptionsTest, ValuesOfEveryKindArrive) {
  std::string file, word;
  int count = 0;
  std::size_t size = 0;
  double rate = 0;
  std::optional<std::size_t> maybe, other;
  bool flag = false;
  options_.add("FILE", file, "");
  options_.add("-w,--word", word, "");
  options_.add("--count", count, "");
  options_.add("--size", size, "");
  options_.add("--rate", rate, "");
  options_.add("--maybe", maybe, "");
  options_.add("--other", other, "");
  options_.add_flag("--flag", flag, "");
  EXPECT_EQ(parse("a.toml -w x --count -3 --size 18446744073709551615 --rate 0.5 --maybe 7 --flag"), "");
  EXPECT_EQ(file, "a.toml");
  EXPECT_EQ(word, "x");
  EXPECT_EQ(count, -3);
  EXPECT_EQ(size, 18446744073709551615u);
  EXPECT_EQ(rate, 0.5);
  EXPECT_EQ(maybe, 7u);
  EXPECT_EQ(other, std::nullopt);
  EXPECT_TRUE(flag);
}

TEST_F(OptionsTest, ListsStandInOneWordOrAreRepeated) {
  std::vector<std::size_t> widths;
  std::vector<std::string> sets;
  std::string rest;
  options_.add("--widths", widths, "").separated_by(',');
  options_.add("--set", sets, "").repeatable();
  options_.add("REST", rest, "");
  EXPECT_EQ(parse("--widths 8,16 --set a=1 --set b=2 rest"), "");
  EXPECT_THAT(widths, ElementsAre(8, 16));
  EXPECT_THAT(sets, ElementsAre("a=1", "b=2"));
  EXPECT_EQ(rest, "rest");
}

TEST_F(OptionsTest, WhatFollowsAListIsNotPartOfIt) {
  std::vector<std::string> parts;
  std::string file;
  options_.add("--only", parts, "").separated_by(',');
  options_.add("FILE", file, "");
  EXPECT_EQ(parse("--only effects,gaps a.safetensors"), "");
  EXPECT_THAT(parts, ElementsAre("effects", "gaps"));
  EXPECT_EQ(file, "a.safetensors");
}

TEST_F(OptionsTest, NumbersOutsideTheirRangeAreRefused) {
  int threads = 0;
  double rate = 0;
  std::size_t samples = 0, neurons = 0;
  options_.add("--threads", threads, "").between(0, 4);
  options_.add("--rate", rate, "").between(0.5, 1.5);
  options_.add("--samples", samples, "").not_negative();
  options_.add("--neurons", neurons, "").positive();
  EXPECT_EQ(parse("--threads 4 --rate 1.5 --samples 0 --neurons 1"), "");
  for (const char* line :
       {"--threads 5", "--threads -1", "--threads x", "--rate 0.4", "--rate 1.6", "--samples -1", "--neurons 0"})
    EXPECT_NE(parse(line), "") << line;
}

TEST_F(OptionsTest, UnsignedNumbersDoNotWrap) {
  std::size_t size = 5;
  std::optional<std::size_t> maybe;
  std::vector<std::size_t> widths;
  options_.add("--size", size, "");
  options_.add("--maybe", maybe, "");
  options_.add("--widths", widths, "").separated_by(',');
  for (const char* line : {"--size -1", "--size=-1", "--size ' -1'", "--maybe -1", "--widths=-1", "--widths 3,-2",
                           "--size=-18446744073709551615"})
    EXPECT_THAT(parse(line), HasSubstr("is negative; give a whole number, 0 or more")) << line;
  for (const char* line : {"--size 18446744073709551616", "--maybe 99999999999999999999", "--widths 1,1e9"})
    EXPECT_NE(parse(line), "") << line;
  EXPECT_EQ(parse("--size 0 --maybe 0 --widths 0,18446744073709551615"), "");
}

TEST_F(OptionsTest, NumbersAreRefusedInFewWords) {
  double rate = 1;
  std::size_t count = 1;
  options_.add("--rate", rate, "").not_negative();
  options_.add("--count", count, "").positive();
  EXPECT_THAT(parse("--rate -0.5"), AllOf(HasSubstr("-0.5 is not a number of 0 or more"), Not(HasSubstr("0000"))));
  EXPECT_THAT(parse("--count 0"), AllOf(HasSubstr("0 is not a number greater than 0"), Not(HasSubstr("0000"))));
  EXPECT_EQ(parse("--rate 0 --count 1"), "");
}

TEST_F(OptionsTest, ChoicesAreNamedWhenNoneIsTaken) {
  std::string mode;
  options_.add("--mode", mode, "").one_of({"both", "one"});
  EXPECT_EQ(parse("--mode both"), "");
  EXPECT_THAT(parse("--mode none"), HasSubstr("both"));
}

TEST_F(OptionsTest, RequiredExcludedAndGiven) {
  std::string file, random;
  const Option file_option = options_.add("--file", file, "");
  const Option random_option = options_.add("--random", random, "").excludes(file_option);
  std::string out;
  options_.add("--out", out, "").required();
  EXPECT_THAT(parse("--file a"), HasSubstr("--out"));
  EXPECT_THAT(parse("--out o --file a --random b"), HasSubstr("--file"));
  EXPECT_EQ(parse("--out o --random b"), "");
  EXPECT_TRUE(random_option.given());
  EXPECT_FALSE(file_option.given());
}

TEST_F(OptionsTest, HelpShowsTypeAndDefault) {
  std::string output = "report.html";
  options_.add("-o,--output", output, "Page to write").type_name("FILE").show_default();
  EXPECT_THAT(app_.help(), HasSubstr("-o,--output FILE=report.html"));
}

}  // namespace
}  // namespace firn
