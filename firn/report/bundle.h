// The script and the style sheet of reports: bundled from web/ when Firn is built with npm at hand, and compiled in.
#pragma once

#include <string_view>

namespace firn::report {

// Both are empty where the packages of web/ were not there when Firn was built.
std::string_view report_script();
std::string_view report_style();

}  // namespace firn::report
