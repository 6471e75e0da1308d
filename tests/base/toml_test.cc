#include "firn/base/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/expect_error.h"

namespace firn {
namespace {

using testing::StartsWith;

// NAME.NAME.NAME and so on.
std::string key_of(std::size_t parts, const std::string& name = "a") {
  std::string key = name;
  for (std::size_t i = 1; i < parts; ++i) key += "." + name;
  return key;
}

TEST(Toml, MistakesAreNamedWithTheirPlace) {
  EXPECT_EQ(parse_toml("[a]\nb.c = 0.5", "x.toml").at_path("a.b.c").value<double>(), 0.5);
  EXPECT_THAT(error_of([] { parse_toml("a = 1\nb = \n", "x.toml"); }), StartsWith("x.toml:2:5: "));
}

// Without the mend in toml.h, UndefinedBehaviorSanitizer ends this test.
TEST(Toml, LettersThatAreNotAsciiAreNoWhiteSpace) {
  for (const char* letter : {"\u00a1", "\u00ef", "\u0499", "\u04b0", "\u2003", "\u20ac", "\u3001"})
    EXPECT_THAT(error_of([&] { parse_toml(std::string("a") + letter + "b = 1", "x.toml"); }),
                StartsWith("x.toml:1:2: "));
  EXPECT_EQ(parse_toml("a = \"\"\"\\\n  \u00ef\"\"\"", "x.toml")["a"].value<std::string>(), "\u00ef");
}

TEST(Toml, KeysOfManyPartsAreRefusedWhereverTheyStand) {
  EXPECT_THAT(error_of([] { parse_toml("\n[" + key_of(200'000) + "]", "x.toml"); }),
              StartsWith("x.toml:2:65: a key has more than 32 parts"));
  for (const char* name : {"a", "'.'", "\"=\"", "'\"'", "\"\\\"=\"", " a "})
    for (const char* before : {"", "[[", "x = {", "x = {y = 1, ", "x = '''.'''''\n", "x = {y = \"\"\"\"a\"\"\"\", ",
                               "x = {y = '', ", "x = {y = [\"#\\\\\"], ", "# it's\n", "x = 'y' # \"\n"})
      EXPECT_THAT(error_of([&] { parse_toml(before + key_of(200'000, name) + " = 1", "x.toml"); }),
                  testing::HasSubstr("a key has more than 32 parts"))
          << before << name;
}

TEST(Toml, OtherDotsAreNotCounted) {
  const std::string dots(100, '.');
  std::string text = "a = '" + dots + "' # " + dots + "\nb = \"\\\"" + dots + "\"\n";
  text += "c = '''\n" + dots + "''" + dots + "'''\nd = [";
  for (int i = 0; i < 100; ++i) text += "1.5, ";
  text += "]\n" + key_of(32, "e") + " = 1\n[[" + key_of(32, "f") + "]]\n";
  EXPECT_EQ(parse_toml(text, "x.toml")["a"].value<std::string>(), dots);
}

TEST(Toml, ValuesInValuesAreLimited) {
  EXPECT_THAT(error_of([] { parse_toml("a = " + std::string(100'000, '['), "x.toml"); }), StartsWith("x.toml:1:"));
}

}  // namespace
}  // namespace firn
