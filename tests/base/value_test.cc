#include "firn/base/value.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(ValueToToml, KeepsTheKindOfNumbers) {
  EXPECT_EQ(to_toml(Value(true)), "true");
  EXPECT_EQ(to_toml(Value(std::int64_t{-3})), "-3");
  EXPECT_EQ(to_toml(Value(3.0)), "3.0");
  EXPECT_EQ(to_toml(Value(0.1)), "0.1");
  EXPECT_EQ(to_toml(Value(-1e-30)), "-1e-30");
}

TEST(ValueToToml, EscapesStrings) {
  EXPECT_EQ(to_toml(Value(std::string("a\"b\\c\nd\te\x01\x7f"))), R"("a\"b\\c\nd\te\u0001\u007F")");
  EXPECT_EQ(to_toml(Value(std::string("größe"))), "\"größe\"");
}

TEST(ValueToToml, WritesLists) {
  EXPECT_EQ(to_toml(Value(std::vector<Scalar>{})), "[]");
  EXPECT_EQ(to_toml(Value(std::vector<Scalar>{std::int64_t{1}, std::int64_t{2}})), "[1, 2]");
  EXPECT_EQ(to_toml(Value(std::vector<Scalar>{std::string("a"), std::string("b")})), R"(["a", "b"])");
}

TEST(KeyToToml, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(to_toml_key("split_seed"), "split_seed");
  EXPECT_EQ(to_toml_key("a.b"), "\"a.b\"");
  EXPECT_EQ(to_toml_key(""), "\"\"");
}

}  // namespace
}  // namespace firn
