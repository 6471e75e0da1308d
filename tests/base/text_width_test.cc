#include "firn/base/text_width.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(TextWidth, CountsCharactersAndNotBytes) {
  EXPECT_EQ(text_width(""), 0u);
  EXPECT_EQ(text_width("abc"), 3u);
  EXPECT_EQ(text_width("71.2 ± 0.3 · 10"), 15u);
  EXPECT_EQ(text_width("e\xcc\x81t\xc3\xa9"), 3u);  // an accent of its own, then one within the letter
}

TEST(TextWidth, SurvivesWhatIsNotUtf8) {
  EXPECT_EQ(text_width("\xff\xfe"), 2u);
  EXPECT_EQ(text_width("a\xcc"), 2u);
}

TEST(FitToWidth, CutsBetweenCharacters) {
  EXPECT_EQ(fit_to_width("±±±", 3), "±±±");
  EXPECT_EQ(fit_to_width("±±±±", 3), "±±…");
  EXPECT_EQ(fit_to_width("ab", 1), "…");
  EXPECT_EQ(fit_to_width("ab", 0), "");
}

}  // namespace
}  // namespace firn
