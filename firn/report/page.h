// The page of a report: one HTML file that holds its script, its style and its data, and asks nobody for anything.
#pragma once

#include <string>
#include <string_view>

#include "firn/report/records.h"

namespace firn::report {

// An Error where Firn was built without the figures of reports.
void require_figures();

// What a page is made of. Script and style were bundled with Firn; the data are JSON, which the script reads.
struct PageParts {
  std::string_view title, script, style;
  std::string data;
  bool live = false;  // the page asks where it came from for newer data
};

// A page whose policy allows no script but its own and no connection but, for a live page, to where it came from.
std::string html_page(const PageParts& parts);

// The page of a report. Needs the figures.
std::string page_of(const ReportRecord& report);

// JSON as it may stand inside a <script> element: no name in it can end the element or a line.
std::string escape_json_for_html(std::string_view json);
// Text as it may stand between tags.
std::string escape_html(std::string_view text);

}  // namespace firn::report
