#include "firn/report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "firn/report/bundle.h"
#include "tests/support/expect_error.h"

namespace firn {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t occurrences(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string_view::npos; at += what.size()) ++count;
  return count;
}

TEST(Page, EscapesWhatCouldEndAScriptOrALine) {
  EXPECT_EQ(escape_json_for_html("\"</script><!--\u2028\u2029\""), "\"\\u003c/script>\\u003c!--\\u2028\\u2029\"");
  EXPECT_EQ(escape_html("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
}

TEST(Page, HoldsEverythingAndAsksNobody) {
  if (report_script().empty()) GTEST_SKIP() << "built without the npm packages of reports";
  ReportRecord report;
  report.title = "</title><script>alert(1)</script>";
  report.runs.emplace_back().name = "</script><script>alert(2)</script>";
  const std::string page = page_of(report);
  EXPECT_THAT(page, HasSubstr("<title>&lt;/title&gt;&lt;script&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_EQ(occurrences(page, "</script"), 2u);
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(page, HasSubstr("connect-src 'none'"));
  for (const char* outside : {"src=\"", "@import", "url(http"}) EXPECT_THAT(page, Not(HasSubstr(outside)));
  report.live = true;
  EXPECT_THAT(page_of(report), HasSubstr("connect-src 'self'"));
}

TEST(Page, WithoutFiguresThereIsASentence) {
  const std::string error = error_or_none([] { require_figures(); });
  EXPECT_THAT(error, HasSubstr(report_script().empty() ? "scripts/setup" : kNoError));
}

}  // namespace
}  // namespace firn
