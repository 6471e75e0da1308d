#include "firn/base/printable.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(Printable, LettersStayAsTheyAre) {
  EXPECT_EQ(printable("T-shirt/top"), "T-shirt/top");
  EXPECT_EQ(printable("Öl, 魚, 🐟, \u00a0"), "Öl, 魚, 🐟, \u00a0");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, ControlCharactersAreReplaced) {
  EXPECT_EQ(printable("a\nb\x1b[2J\x7f\u0085"), "a\ufffdb\ufffd[2J\ufffd\ufffd");
}

TEST(Printable, LineBreaksStayWhereTextHasLines) {
  EXPECT_EQ(printable_lines("a\x1b\n\nb\t"), "a\ufffd\n\nb\ufffd");
  EXPECT_EQ(printable_lines("a\n"), "a\n");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(Printable, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(printable("M\xfcll"), "M\ufffdll");                          // Latin-1
  EXPECT_EQ(printable("\xc3"), "\ufffd");                                // cut
  EXPECT_EQ(printable("\xe2\x82"), "\ufffd\ufffd");                      // cut
  EXPECT_EQ(printable("\x80"), "\ufffd");                                // no beginning
  EXPECT_EQ(printable("\xc0\xaf"), "\ufffd\ufffd");                      // longer than needed
  EXPECT_EQ(printable("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");            // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\ufffd\ufffd\ufffd\ufffd");  // beyond the last code point
}

}  // namespace
}  // namespace firn
