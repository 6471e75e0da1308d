#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <tuple>

#include "firn/base/random.h"
#include "firn/circuit/simplify.h"
#include "firn/exchange/format.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_netlists.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

std::int64_t float_limit(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

// Two thresholds of three features, two groups of two outputs or a class of two bits.
Blueprint blueprint_of(const char* format, bool head, std::uint64_t seed) {
  Blueprint blueprint{"net", random_netlist(6, 20, head ? 2 : 4, seed), {"a note"}};
  simplify(blueprint.netlist);
  Comparators encoder{parse_input_format(format), 3, {}};
  if (encoder.format.kind == InputFormat::Kind::kFloat)
    for (const float v : {-1.5f, 0.f, 0.1f, 3e-20f, 5.f, 1e30f}) encoder.limits.push_back(float_limit(v));
  else if (encoder.format.kind == InputFormat::Kind::kByte)
    encoder.limits = {0, 1, 127, 128, 254, 255};
  else
    encoder.limits = {-3, 0, 2, Comparators::kAlways, Comparators::kNever, 1};
  blueprint.surroundings = {encoder, head ? 0u : 2u};
  blueprint.classes = head ? 4 : 2;
  return blueprint;
}

// With numbers for missing values.
Blueprint filled_blueprint(bool head) {
  Blueprint blueprint = blueprint_of("float32", head, 7);
  blueprint.surroundings->encoder.fills = {0.25f, std::numeric_limits<float>::lowest(), 7};
  return blueprint;
}

constexpr const char* kInputs[] = {"uint8", "float32", "fixed:8.8", "fixed:4.2", "fixed:16.16"};

TEST(CNumbersTest, WhatIsWrittenIsReadBack) {
  for (const char* input : kInputs)
    for (const bool head : {false, true})
      for (const bool unrolled : {false, true}) {
        const Blueprint blueprint = blueprint_of(input, head, 7);
        const std::string text = write_c(blueprint, {.unrolled = unrolled});
        const ParsedCircuit back = read_c(text, "net.c");
        EXPECT_EQ(back.surroundings, blueprint.surroundings) << text;
        const auto in = random_words(6, 1, 3);
        EXPECT_TRUE(same_rows(simulate(back.netlist, in), simulate(blueprint.netlist, in)));
      }
}

// Another letter of the same kind, which has a chance to be read.
char another(char letter, RandomSequence& random) {
  for (const std::string_view kind :
       {std::string_view("0123456789"), std::string_view("<>&|+"), std::string_view("e.f-")})
    if (const std::size_t at = kind.find(letter); at != kind.npos)
      return kind[(at + 1 + random.below(static_cast<std::uint32_t>(kind.size() - 1))) % kind.size()];
  return letter == ' ' ? '_' : ' ';
}

TEST(CNumbersTest, FillsAreReadBack) {
  for (const bool head : {false, true}) {
    const Blueprint blueprint = filled_blueprint(head);
    EXPECT_EQ(read_c(write_c(blueprint, {}), "net.c").surroundings, blueprint.surroundings);
  }
}

TEST(CNumbersTest, EveryLetterMatters) {
  for (const char* input : {"uint8", "float32", "fixed:8.8", "fixed:4.2", "fixed:16.16", "filled"})
    for (const bool head : {false, true}) {
      const std::string text =
          write_c(input == std::string_view("filled") ? filled_blueprint(head) : blueprint_of(input, head, 7), {});
      const ParsedCircuit original = read_c(text, "net.c");
      RandomSequence random(1, "test/letters");
      std::size_t changed = 0;
      for (std::size_t at = text.find("#include"); at < text.size(); ++at) {
        std::string mutant = text;
        mutant[at] = another(text[at], random);
        ParsedCircuit read;
        const std::string error = error_or_none([&] { read = read_c(mutant, "net.c"); });
        ASSERT_TRUE(error != kNoError || read.netlist != original.netlist || read.surroundings != original.surroundings)
            << input << " ignores letter " << at << " of\n"
            << mutant;
        changed += error == kNoError;
      }
      EXPECT_GT(changed, 5u) << input;
    }
}

TEST(CNumbersTest, WhatFirnDoesNotWriteGetsASentence) {
  const std::string floats = write_c(blueprint_of("float32", true, 7), {});
  const std::string filled = write_c(filled_blueprint(true), {});
  const std::string fixed = write_c(blueprint_of("fixed:4.2", false, 7), {});
  const std::tuple<std::string, const char*, const char*, const char*> cases[] = {
      {floats, "NET_FEATURES 3", "NET_FEATURES 4", "not the same number for each"},
      {floats, "NET_FEATURES 3", "NET_FEATURES 0", "not the same number for each"},
      {floats, " 0.0f,", "", "fewer limits"},
      {floats, " 0.0f,", " 0.0f, 1.0f,", "more limits"},
      {floats, " 0.0f,", " 0.0f,,", "does not belong here"},
      {floats, " 0.100000001f", " 0.1f", "not a limit as it is written"},
      {floats, " 5.0f", " nanf", "not a limit"},
      {floats, "> net_limits", ">= net_limits", "does not belong here"},
      {filled, " 7.0f,\n", "\n", "fewer fills"},
      {filled, " 7.0f,\n", " 7.0f, 1.0f,\n", "more fills"},
      {filled, "net_fills[f] :", "net_fills[i] :", "does not belong here"},
      {fixed, "INTEGER_BITS 4", "INTEGER_BITS 0", "2 to 32 bits"},
      {fixed, "-3,", "-64,", "beyond the format"},
      {fixed, "INT32_MAX", "INT64_MAX", "not a limit as it is written"},
      {fixed, "GROUPS 2", "GROUPS 3", "equal size"},
      {fixed, "-3,", "-3\x01y\nz,", "\"-3?y\" is not a limit"},
  };
  for (const auto& [text, old, now, part] : cases) {
    std::string changed = text;
    const std::size_t at = changed.find(old);
    ASSERT_NE(at, changed.npos) << old << " in\n" << text;
    changed.replace(at, std::string_view(old).size(), now);
    EXPECT_THAT(error_of([&] { read_c(changed, "net.c"); }), HasSubstr(part)) << old << " -> " << now;
  }
}

// `number |= bit << o` has no meaning beyond the bits of a number.
TEST(CNumbersTest, AClassHasAtMost32Bits) {
  Blueprint blueprint = blueprint_of("uint8", true, 7);
  for (const std::size_t bits : {32, 33}) {
    blueprint.netlist.outputs.resize(bits, blueprint.netlist.input(0));
    const std::string error = error_or_none([&] { read_c(write_c(blueprint, {}), "net.c"); });
    EXPECT_THAT(error, HasSubstr(bits == 32 ? kNoError : "32 bits at most"));
  }
}

// A compiler sets memory to zero by a function of that name.
TEST(CNumbersTest, ReservedNamesAreRefused) {
  Blueprint blueprint = blueprint_of("uint8", true, 7);
  blueprint.name = "memset";
  EXPECT_THAT(error_of([&] { read_c(write_c(blueprint, {}), "net.c"); }), HasSubstr("\"memset\" is reserved"));
}

TEST(CHeaderTest, NamesAreHarmlessStrings) {
  Blueprint blueprint = blueprint_of("fixed:8.8", true, 7);
  blueprint.class_names = {"plain", "a \"quoted\" \\ one", "what?\?/", "Gr\u00f6\u00dfe1", "two\nlines"};
  blueprint.feature_names = {"x", "*/", "y"};
  const std::string text = write_c_header(blueprint, {});
  for (const char* part :
       {"\"plain\",", R"("a \"quoted\" \\ one",)", R"("what\?\?/",)", R"("Gr\303\266\303\237e1",)",
        R"("two\012lines",)", "net_class_names[5]", "net_feature_names[3]", "#define NET_CLASSES 4", "#ifndef NET_H",
        "extern \"C\"", "unsigned net(const int16_t *features, uint64_t *work);", "net_fixed(float value)"})
    EXPECT_THAT(text, HasSubstr(part));
}

}  // namespace
}  // namespace firn
