#include "firn/exchange/comment.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(CommentTest, NothingEndsOpensOrContinuesAComment) {
  EXPECT_EQ(in_comment("petal length (cm)"), "petal length (cm)");
  EXPECT_EQ(in_comment("Gr\u00f6\u00dfe"), "Gr\u00f6\u00dfe");
  EXPECT_EQ(in_comment("a */ int x; /* b"), "a * / int x; / * b");
  EXPECT_EQ(in_comment("*/*/"), "* / * /");
  EXPECT_EQ(in_comment("two\nlines\r"), "two\ufffdlines\ufffd");
  EXPECT_EQ(in_comment("ends with \\"), "ends with /");
  EXPECT_EQ(in_comment("*\\"), "* /");                // the backslash must not become the end of a comment
  EXPECT_EQ(in_comment("?\?/ ???\\"), "? ?/ ?? ?/");  // so is a backslash written where there are trigraphs
  EXPECT_EQ(in_comment("a\u202eb"), "a\ufffdb");
  EXPECT_EQ(in_comment(std::string("nul\0byte", 8)), "nul\ufffdbyte");
}

TEST(CommentTest, WhatIsFitForACommentIsLeftAsItIs) {
  for (const char* text : {"/*/", "*?\?/", "?\?/*", "??\\*\\", "\xff\t", "//*//"}) {
    const std::string once = in_comment(text);
    EXPECT_EQ(in_comment(once), once) << text;
  }
}

}  // namespace
}  // namespace firn
