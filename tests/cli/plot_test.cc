#include "firn/cli/plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "firn/base/text_width.h"

namespace firn {
namespace {

TEST(Plot, BarsAreExactToAnEighth) {
  EXPECT_EQ(bar(0, 4), "");
  EXPECT_EQ(bar(0.5, 4), "██");
  EXPECT_EQ(bar(1, 4), "████");
  EXPECT_EQ(bar(0.25 + 0.5 / 4, 4), "█▌");
  EXPECT_EQ(bar(7, 2), "██");  // never longer than asked for
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  return lines;
}

TEST(Plot, ACloudShowsEverySizeOfEitherSign) {
  const std::vector<double> v = {-1e-2, -1e-6, -1e-10, 1e-10, 1e-6, 1e-2};
  const auto lines = lines_of(draw_cloud(v, v, {"title", "x", "y"}, 40, 9));
  EXPECT_EQ(lines[0], "title");
  std::size_t points = 0;
  for (std::size_t l = 1; l <= 9; ++l) {
    EXPECT_LE(text_width(lines[l]), 52u);
    points += static_cast<std::size_t>(std::count(lines[l].begin(), lines[l].end(), '@'));
  }
  EXPECT_GE(points, 5u);                              // the two nearest to zero may share a cell
  EXPECT_EQ(lines[1].back(), '@');                    // largest, at the top on the right
  EXPECT_NE(lines[9].find("│@"), std::string::npos);  // smallest, at the bottom on the left
}

TEST(Plot, NothingAndConstantsAreDrawnToo) {
  EXPECT_NE(draw_cloud({}, {}, {"empty", "x", "y"}).find("empty"), std::string::npos);
  const std::vector<double> zeros(3);
  EXPECT_NE(draw_cloud(zeros, zeros, {"zeros", "x", "y"}).find('@'), std::string::npos);
}

}  // namespace
}  // namespace firn
