#include "firn/study/config_text.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "firn/study/argument_error.h"

namespace firn {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string complaint(std::string_view text) {
  try {
    parse_config(text, "c.toml");
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

// An override as whoever takes it from a user would make it.
Override override_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)), std::string(text)};
}

std::string override_complaint(std::string_view text) {
  try {
    const Override overrides[] = {override_of(text)};
    parse_config("", "c.toml", overrides);
  } catch (const ArgumentError& e) {
    return e.what();
  }
  return "accepted";
}

Config with(std::string_view override_text, std::string_view text = "") {
  const Override overrides[] = {override_of(override_text)};
  return parse_config(text, "c.toml", overrides);
}

TEST(Config, EmptyTextGivesTheDefaults) {
  const Config config = parse_config("", "c.toml");
  EXPECT_EQ(config.seed, 1u);
  EXPECT_EQ(config.data.source, DataSettings().source);
  EXPECT_EQ(config.encode.thresholds, EncodeSettings().thresholds);
}

TEST(Config, ReadsEverySection) {
  const Config config = parse_config(
      "name = 'run'\nseed = 7\n[data]\nsource = 'teacher'\nsynthetic = {noise = 0.25, gates = 9}\n[encode]\nthresholds "
      "= 5\n",
      "c.toml");
  EXPECT_EQ(config.name, "run");
  EXPECT_EQ(config.seed, 7u);
  EXPECT_EQ(config.data.source, "teacher");
  EXPECT_EQ(config.data.synthetic.noise, 0.25);
  EXPECT_EQ(config.data.synthetic.gates, 9u);
  EXPECT_EQ(config.encode.thresholds, 5u);
}

TEST(Config, UnknownKeysNameTheNearestAndThePlace) {
  EXPECT_EQ(complaint("[data]\n  sorce = 'mnist'\n"), "c.toml:2:3: unknown key data.sorce; did you mean data.source?");
  EXPECT_EQ(complaint("sead = 1\n"), "c.toml:1:1: unknown key sead; did you mean seed?");
  EXPECT_EQ(complaint("colour = 1\n"), "c.toml:1:1: unknown key colour; `firn config keys` lists all keys");
  EXPECT_THAT(complaint("'data.source' = 'mnist'\n"), StartsWith("c.toml:1:1: unknown key \"data.source\""));
}

TEST(Config, UnknownSectionsNameTheNearestAndThePlace) {
  EXPECT_EQ(complaint("\n[dat]\nsource = 'mnist'\n"), "c.toml:2:2: unknown section [dat]; did you mean data?");
  EXPECT_EQ(complaint("[[data]]\nsource = 'mnist'\n"),
            "c.toml:1:3: data is a section, not a key; write its keys under [data]");
}

TEST(Config, TheFirstMistakeInTheFileIsReported) {
  EXPECT_THAT(complaint("[encode]\nscop = 1\n[data]\nagment = 1\n"), StartsWith("c.toml:2:1: unknown key encode.scop"));
}

TEST(Config, WrongTypesAreRefused) {
  EXPECT_EQ(complaint("seed = 'one'\n"), "c.toml:1:8: seed must be an integer of at least 0, not \"one\"");
  EXPECT_EQ(complaint("seed = 1.5\n"), "c.toml:1:8: seed must be an integer of at least 0, not 1.5");
  EXPECT_EQ(complaint("seed = 1979-05-27\n"), "c.toml:1:8: seed must be an integer of at least 0, not a date or time");
  EXPECT_EQ(complaint("seed = [1, 2]\n"), "c.toml:1:8: seed must be an integer of at least 0, not [1, 2]");
  EXPECT_EQ(complaint("[seed]\n"), "c.toml:1:1: seed must be an integer of at least 0, not a table");
  EXPECT_EQ(complaint("data = 3\n"), "c.toml:1:1: data is a section, not a key; write its keys under [data]");
}

TEST(Config, ValuesOutOfRangeAreRefused) {
  EXPECT_EQ(complaint("seed = -1\n"), "c.toml:1:8: seed must be an integer of at least 0, not -1");
  EXPECT_EQ(complaint("[data]\nsynthetic.noise = 1.5\n"),
            "c.toml:2:19: data.synthetic.noise must be a number from 0 to 1, not 1.5");
  EXPECT_THAT(complaint("encode.thresholds = 0\n"), HasSubstr("encode.thresholds must be an integer from 1 to"));
}

TEST(Config, WrongChoicesNameTheNearest) {
  const std::string sentence = complaint("[data]\nsource = 'mnits'\n");
  EXPECT_THAT(sentence, StartsWith("c.toml:2:10: data.source must be one of "));
  EXPECT_THAT(sentence, testing::EndsWith("not \"mnits\"; did you mean mnist?"));
}

TEST(Config, LongValuesDoNotDrownTheSentence) {
  const std::string sentence = complaint("seed = '" + std::string(5000, 'x') + "'\n");
  EXPECT_EQ(sentence, "c.toml:1:8: seed must be an integer of at least 0, not this string");
}

TEST(Config, BrokenTomlNamesThePlace) {
  EXPECT_THAT(complaint("seed = 1\nname = 'open\n"), StartsWith("c.toml:2:"));
  EXPECT_THAT(complaint("seed = 1\nseed = 2\n"), StartsWith("c.toml:2:"));
  EXPECT_THAT(complaint("seed = 99999999999999999999\n"), StartsWith("c.toml:1:"));
}

TEST(Config, KeysOfManyPartsAreRefused) {
  std::string key = "a";
  for (int i = 0; i < 200'000; ++i) key += ".a";
  EXPECT_THAT(complaint("[" + key + "]"), HasSubstr("c.toml:1:65: a key has more than 32 parts"));
  EXPECT_THAT(override_complaint("name={" + key + " = 1}"), "accepted");  // as any other text
}

TEST(Override, WinsOverTheFile) {
  EXPECT_EQ(with("seed=5", "seed = 4\n").seed, 5u);
}

TEST(Override, ReadsTomlAndFallsBackToABareString) {
  EXPECT_EQ(with("data.source=mnist").data.source, "mnist");
  EXPECT_EQ(with("data.source=\"mnist\"").data.source, "mnist");
  EXPECT_EQ(with("data.synthetic.noise=0.5").data.synthetic.noise, 0.5);
  EXPECT_EQ(with("name=2024").name, "2024");  // a string key takes any text
  EXPECT_EQ(with("name=a=b").name, "a=b");
  EXPECT_EQ(with("name=").name, "");
  EXPECT_EQ(with("name=1\nseed=9").name, "1\nseed=9");  // one value, whatever is in it
}

TEST(Override, MistakesBeginWithTheirOrigin) {
  EXPECT_EQ(override_complaint("sead=1"), "sead=1: unknown key sead; did you mean seed?");
  EXPECT_EQ(override_complaint("seed=x"), "seed=x: seed must be an integer of at least 0, not \"x\"");
  EXPECT_EQ(override_complaint("data=1"), "data=1: data is a section, not a key; write its keys under [data]");
  EXPECT_THAT(override_complaint("name=\x8c"), HasSubstr("the value of name is not UTF-8 text"));
}

TEST(ConfigToToml, ReadsBackTheSame) {
  Config config = parse_config("name = \"tab\\t\\\"quote\\\"\"\nseed = 12\n[data]\nsynthetic.noise = 0.1\n", "c.toml");
  const std::string text = to_toml(config);
  EXPECT_EQ(to_toml(parse_config(text, "again.toml")), text);
  EXPECT_THAT(text, HasSubstr("noise = 0.1\n"));
  EXPECT_THAT(text, HasSubstr("\n[data.synthetic]\n"));
}

TEST(ConfigToToml, HoldsEveryKeyAndNoPathOfThisMachine) {
  Config config;
  config.data.root = "/secret";
  const std::string text = to_toml(config);
  for (const std::string& name : describe(config).key_names())
    EXPECT_THAT(text, HasSubstr(fmt::format("\n{} = ", name.substr(name.rfind('.') + 1))));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
}

TEST(LoadConfig, NamesTheFileThatCannotBeRead) {
  const auto folder = std::filesystem::path(testing::TempDir());
  EXPECT_THAT([&] { load_config(folder / "missing.toml"); },
              testing::ThrowsMessage<Error>(HasSubstr("missing.toml cannot be read (No such file or directory)")));
  EXPECT_THAT([&] { load_config(folder); }, testing::ThrowsMessage<Error>(HasSubstr("is a folder")));
}

TEST(LoadConfig, ReadsAFile) {
  const auto file = std::filesystem::path(testing::TempDir()) / "firn_config_test.toml";
  std::ofstream(file) << "seed = 3\n";
  EXPECT_EQ(load_config(file).seed, 3u);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace firn
