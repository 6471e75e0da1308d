#include "firn/base/parse_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace firn {
namespace {

std::string nested(std::size_t depth, const std::string& opening = "[", const std::string& closing = "]") {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += opening;
  text += "1";
  for (std::size_t i = 0; i < depth; ++i) text += closing;
  return text;
}

TEST(ParseJson, ValuesAreReadAndOtherTextIsDiscarded) {
  EXPECT_EQ(parse_json(R"({"a":[1,{"b":null}]})").dump(), R"({"a":[1,{"b":null}]})");
  for (const char* text : {"", "{", "[1,]", "1e999", "{} {}", "\"\xff\""}) EXPECT_TRUE(parse_json(text).is_discarded());
}

TEST(ParseJson, DeepValuesAreDiscarded) {
  EXPECT_EQ(parse_json(nested(kDeepestJson)).dump(), nested(kDeepestJson));
  for (const std::size_t depth : {std::size_t{kDeepestJson} + 1, std::size_t{1'000'000}}) {
    EXPECT_TRUE(parse_json(nested(depth)).is_discarded());
    EXPECT_TRUE(parse_json("[2," + nested(depth, "{\"a\":", "}") + ",3]").is_discarded());
  }
}

}  // namespace
}  // namespace firn
