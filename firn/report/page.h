// The page of a report: one HTML file that holds its script, its style and its data, and asks nobody for anything.
#pragma once

#include <string>
#include <string_view>

#include "firn/report/records.h"

namespace firn::report {

// An Error where Firn was built without the figures of reports.
void require_figures();

// A page whose policy allows no script but its own and no connection but, for a live page, to where it came from.
// Needs the figures.
std::string page_of(const ReportRecord& report);

// JSON as it may stand inside a <script> element: no name in it can end the element or a line.
std::string escape_json_for_html(std::string_view json);
// Text as it may stand between tags.
std::string escape_html(std::string_view text);

}  // namespace firn::report
