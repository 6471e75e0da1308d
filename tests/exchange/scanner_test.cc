#include "firn/exchange/scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

TEST(ScannerTest, ReadsWordsNumbersAndNames) {
  Scanner scan("// note\n// note\nnet_1 = 42;\n0", "f", "this");
  while (scan.sees("//")) scan.skip_comment_line("//");
  EXPECT_EQ(scan.name(), "net_1");
  EXPECT_FALSE(scan.accept("= "));
  EXPECT_TRUE(scan.accept(" = "));
  EXPECT_EQ(scan.number(43), 42u);
  scan.expect(";\n");
  EXPECT_EQ(scan.remaining(), 1u);
  EXPECT_EQ(scan.number(1), 0u);
  scan.expect_end();
}

TEST(ScannerTest, RefusalsSayWhereAndWhat) {
  const auto error_at_third_line = [](std::string_view text, auto&& read) {
    const std::string whole = "1\n2\n" + std::string(text);
    Scanner scan(whole, "f", "this");
    scan.expect("1\n2\n");
    return error_of([&] { read(scan); });
  };
  EXPECT_THAT(error_at_third_line("abc\nd", [](Scanner& scan) { scan.expect("x"); }),
              HasSubstr("f:3: \"abc\" does not belong here; only this can be read"));
  EXPECT_THAT(error_at_third_line("", [](Scanner& scan) { scan.expect("x"); }), HasSubstr("f:3: it ends too early"));
  EXPECT_THAT(error_at_third_line("x", [](Scanner& scan) { scan.expect_end(); }), HasSubstr("\"x\""));
  EXPECT_THAT(error_at_third_line("x", [](Scanner& scan) { scan.skip_comment_line("//"); }), HasSubstr("\"x\""));
  EXPECT_THAT(error_at_third_line("memset(", [](Scanner& scan) { scan.name(); }), HasSubstr("\"memset\" is reserved"));
  EXPECT_THAT(error_at_third_line("7\x01", [](Scanner& scan) { scan.identifier(); }), HasSubstr("\"7?\""));
  for (const char* number : {"", "x", "-1", "07", "100", "99999999999999999999"})
    EXPECT_THAT(error_at_third_line(number, [](Scanner& scan) { scan.number(100); }), HasSubstr("f:3: ")) << number;
}

TEST(ScannerTest, ACommentIsOneForEveryTool) {
  for (const char* comment : {"// no end", "// a\rb\n", "// a\vb\n", "// a */ b\n", "//*\n", "// a\\\n", "// ?\?/\n",
                              "// a\u2028b\n", "// \x80\n"})
    EXPECT_THAT(error_of([=] { Scanner(comment, "f", "this").skip_comment_line("//"); }), HasSubstr("f:1: "))
        << comment;
}

TEST(ScannerTest, AGlimpseIsShortAndPrintable) {
  EXPECT_EQ(glimpse("a\tb\nc"), "a?b");
  EXPECT_EQ(glimpse(std::string(1000, 'x')), std::string(30, 'x'));
}

}  // namespace
}  // namespace firn
